/** Names that every object inherits in JavaScript: an app may declare them like any other, wherever a manifest has names. */
import { expect } from 'chai';
import { newRegistrar, RpcFailed } from '../../support/app.ts';
import type { Client, Reply } from '../../support/http.ts';
import { newWorld, type World } from '../../support/world.ts';

const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf', 'toLocaleString'];
const password = 'correct horse battery';

type Kind = 'resources' | 'inboxes' | 'views' | 'actions' | 'pages' | 'flags';

/** What declares a name, by the list of the manifest that it stands in. */
const declarations: Readonly<Record<string, readonly [Kind, (name: string) => object]>> = {
  'a resource': ['resources', (name) => ({ name, source: 'stored' })],
  'a field of a resource': [
    'resources',
    (name) => ({ name: 'order', source: 'stored', fields: [{ name, filter: true, sort: true, search: true }] }),
  ],
  'a relation': [
    'resources',
    (name) => ({ name: 'order', source: 'stored', relations: [{ name, resource: 'order', field: name }] }),
  ],
  'an inbox': ['inboxes', (name) => ({ name })],
  'a state': [
    'inboxes',
    (name) => ({
      name: 'desk',
      states: [
        { name, kind: 'open' },
        { name: 'done', kind: 'closed' },
      ],
      transitions: { [name]: ['done'] },
    }),
  ],
  'a field of items': [
    'inboxes',
    (name) => ({
      name: 'desk',
      fields: { type: 'object', properties: { [name]: { type: 'string' } } },
      suggest: [{ when: { field: `item.fields.${name}`, op: 'exists' }, action: 'ping', input: { [name]: 1 } }],
    }),
  ],
  'a view': ['views', (name) => ({ name, fields: { [name]: 'x' } })],
  'an action': ['actions', (name) => ({ name, danger: 'high' })],
  'an input': [
    'actions',
    (name) => ({
      name: 'pay',
      approval: true,
      input: { type: 'object', properties: { [name]: { type: 'number', maximum: 5 } }, additionalProperties: false },
      defaults: { [name]: 1 },
    }),
  ],
  'a page': ['pages', (name) => ({ name, blocks: [{ type: 'text', text: 'Hello' }] })],
  'a parameter': [
    'pages',
    (name) => ({
      name: 'day',
      params: [{ name }],
      blocks: [{ type: 'items', source: 'items', query: { fields: { [name]: `{{params.${name}}}` } } }],
    }),
  ],
  'a flag': ['flags', (name) => ({ key: name, kind: 'boolean', default: false })],
};

const declaredName = (declared: { readonly name?: string; readonly key?: string }): string =>
  declared.name ?? declared.key ?? '';

/** The list with what else the declarations refer to. */
const manifestOf = (kind: Kind, declared: readonly object[]): Readonly<Record<string, readonly object[]>> => {
  const actions = [{ name: 'ping', input: { type: 'object' } }];
  return kind === 'actions' ? { actions: [...actions, ...declared] } : { actions, [kind]: declared };
};

describe('names that every object inherits', () => {
  let world: World;
  let boss: Client;
  let register: ReturnType<typeof newRegistrar>;

  before(async () => {
    world = await newWorld({ manifest: {} });
    boss = await world.person('admin', 'Boss', { fresh: true, password });
    register = newRegistrar(await world.appKey());
  });
  after(() => world.close());

  const refusalOf = async (manifest: unknown): Promise<RpcFailed> => {
    const failed: unknown = await register(manifest as object).catch((error: unknown) => error);
    if (failed instanceof RpcFailed) return failed;
    throw new Error('It was registered.');
  };
  const lastDefinition = async (): Promise<Reply['body']> =>
    (await boss.get('/audit?verb=environment.define&limit=1')).body.entries[0];

  for (const [title, [kind, declare]] of Object.entries(declarations))
    it(`are taken for ${title}, and audited as what is declared`, async () => {
      for (const name of inherited) {
        await register({});
        const declared = manifestOf(kind, [declare(name)]);
        expect((await register(declared)).join('\n'), name).to.not.include('stays in force');
        const { before: was, after: is } = await lastDefinition();
        expect(Object.keys(is), name).to.include(kind);
        expect(was[kind], name).to.have.own.property(declaredName(declare(name)), null);
        await register(manifestOf(kind, [{ ...declare(name), description: 'Changed.' }]));
        const changed = { [declaredName(declare(name))]: { description: 'Changed.' } };
        expect((await lastDefinition()).after[kind], name).to.deep.equal(changed);
      }
    });

  it('are taken for what is added to a dangerous action, whose limits stay in force by these names too', async () => {
    const amount = { type: 'number', maximum: 100 };
    for (const name of inherited) {
      const action = `refund_${name}`;
      const declared = (properties: object): object => ({
        actions: [{ name: action, approval: true, input: { type: 'object', properties: { amount, ...properties } } }],
      });
      const run = async (value: number): Promise<number> =>
        (await boss.post('/actions', { action, input: { amount: 1, [name]: value } })).status;
      await register(declared({}));
      expect((await register(declared({ [name]: amount }))).join('\n')).to.not.include('stays in force');
      expect((await lastDefinition()).after.actions[action].input.properties).to.deep.equal({ [name]: amount });
      const warnings = await register(declared({ [name]: { type: 'number' } }));
      expect(warnings.join('\n')).to.include(`input.properties.${name}.maximum`).and.include('stays in force');
      expect([await run(101), await run(100)]).to.deep.equal([400, 202]);
    }
  });

  it('are refused with the place where the name can’t be kept', async () => {
    const flag = (key: string): string => `{"flags":[{"key":"${key}","kind":"boolean","default":false}]}`;
    const refused = await refusalOf(JSON.parse(flag('__proto__')));
    expect(refused.data?.code).to.equal('invalid');
    expect(refused.data?.problems?.map(({ path }) => path)).to.deep.equal(['flags.0.key']);
    const input = '{"actions":[{"name":"pay","input":{"type":"object","properties":{"__proto__":{"type":"number"}}}}]}';
    const inner = await refusalOf(JSON.parse(input));
    expect(inner.data?.code).to.equal('invalid');
    expect(inner.data?.problems?.map(({ path }) => path)).to.deep.equal(['actions.0.input.properties.__proto__']);
  });
});
