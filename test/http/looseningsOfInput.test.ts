/** Each way to loosen the limits of an input: the value that they refused stays refused until a person accepts. */
import { expect } from 'chai';
import { connectApp, newRegistrar } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { newWorld, type World } from '../support/world.ts';

interface Loosening {
  /** What is declared of the property `v`, or of more, and then. */
  readonly from: object;
  readonly to: object;
  /** Refused by the first, taken by the second declaration. */
  readonly value: unknown;
  /** The members that are reported. */
  readonly members: readonly string[];
}

const v = (schema: unknown): object => ({ properties: { v: schema } });
const at = 'input.properties.v';
const one = { $ref: '#/$defs/one' };
const open = v({});

const table: Readonly<Record<string, Loosening>> = {
  'enum removed': { from: v({ enum: ['a', 'b'] }), to: open, value: 'c', members: [`${at}.enum`] },
  'enum widened': { from: v({ enum: ['a'] }), to: v({ enum: ['a', 'c'] }), value: 'c', members: [`${at}.enum`] },
  'enum for const': { from: v({ const: 'a' }), to: v({ enum: ['a', 'c'] }), value: 'c', members: [`${at}.const`] },
  'const removed': { from: v({ const: 1 }), to: open, value: 2, members: [`${at}.const`] },
  'const changed': { from: v({ const: 1 }), to: v({ const: 2 }), value: 2, members: [`${at}.const`] },
  'maximum removed': { from: v({ maximum: 5 }), to: open, value: 6, members: [`${at}.maximum`] },
  'maximum widened': { from: v({ maximum: 5 }), to: v({ maximum: 6 }), value: 6, members: [`${at}.maximum`] },
  'minimum removed': { from: v({ minimum: 5 }), to: open, value: 4, members: [`${at}.minimum`] },
  'minimum widened': { from: v({ minimum: 5 }), to: v({ minimum: 4 }), value: 4, members: [`${at}.minimum`] },
  'maxLength removed': { from: v({ maxLength: 2 }), to: open, value: 'abc', members: [`${at}.maxLength`] },
  'maxLength widened': {
    from: v({ maxLength: 2 }),
    to: v({ maxLength: 3 }),
    value: 'abc',
    members: [`${at}.maxLength`],
  },
  'maxItems removed': { from: v({ maxItems: 1 }), to: open, value: [1, 2], members: [`${at}.maxItems`] },
  'maxItems widened': { from: v({ maxItems: 1 }), to: v({ maxItems: 2 }), value: [1, 2], members: [`${at}.maxItems`] },
  'exclusiveMaximum removed': {
    from: v({ exclusiveMaximum: 5 }),
    to: open,
    value: 5,
    members: [`${at}.exclusiveMaximum`],
  },
  'exclusiveMaximum for the same maximum': {
    from: v({ exclusiveMaximum: 5 }),
    to: v({ maximum: 5 }),
    value: 5,
    members: [`${at}.exclusiveMaximum`],
  },
  'exclusiveMinimum widened': {
    from: v({ exclusiveMinimum: 5 }),
    to: v({ exclusiveMinimum: 4 }),
    value: 5,
    members: [`${at}.exclusiveMinimum`],
  },
  'the type of a maximum changed': {
    from: v({ type: 'number', maximum: 5 }),
    to: v({ type: 'string', maximum: 5 }),
    value: '1000000',
    members: [`${at}.type`],
  },
  'the type of a maximum removed': {
    from: v({ type: 'number', maximum: 5 }),
    to: v({ maximum: 5 }),
    value: { v: 1_000_000 },
    members: [`${at}.type`],
  },
  'the type of a maximum widened': {
    from: v({ type: 'number', maximum: 5 }),
    to: v({ type: ['number', 'string'], maximum: 5 }),
    value: '1000000',
    members: [`${at}.type`],
  },
  'integers widened to numbers': {
    from: v({ type: 'integer', maximum: 5 }),
    to: v({ type: 'number', maximum: 5 }),
    value: 0.5,
    members: [`${at}.type`],
  },
  'the type of a pattern removed': {
    from: v({ type: 'string', maxLength: 4, pattern: '^DE' }),
    to: v({ maxLength: 4, pattern: '^DE' }),
    value: ['FR76'],
    members: [`${at}.type`],
  },
  'a type behind a reference': {
    from: { ...v({ ...one, maximum: 5 }), $defs: { one: { type: 'number' } } },
    to: { ...v({ ...one, maximum: 5 }), $defs: { one: {} } },
    value: '6',
    members: [`${at}.type`],
  },
  'the type of what has a limit inside': {
    from: v({ type: 'object', ...v({ maximum: 5 }) }),
    to: v({ type: ['object', 'number'], ...v({ maximum: 5 }) }),
    value: 6,
    members: [`${at}.type`],
  },
  'the type of alternatives with a limit': {
    from: v({ type: 'number', anyOf: [{ maximum: 5 }, { const: 10 }] }),
    to: v({ anyOf: [{ maximum: 5 }, { const: 10 }] }),
    value: '6',
    members: [`${at}.type`],
  },
  'pattern removed': { from: v({ pattern: '^a' }), to: open, value: 'b', members: [`${at}.pattern`] },
  'pattern changed': {
    from: v({ pattern: '^a' }),
    to: v({ pattern: '^[ab]' }),
    value: 'b',
    members: [`${at}.pattern`],
  },
  'a limit of items': {
    from: v({ items: { maximum: 5 } }),
    to: v({ items: {} }),
    value: [6],
    members: [`${at}.items.maximum`],
  },
  'a limit of one of the items': {
    from: v({ prefixItems: [true, { maximum: 5 }] }),
    to: v({ prefixItems: [true, true] }),
    value: [9, 6],
    members: [`${at}.prefixItems.1.maximum`],
  },
  'an element out of a limit of all': {
    from: v({ items: { maximum: 5 } }),
    to: v({ prefixItems: [{}], items: { maximum: 5 } }),
    value: [6],
    members: [`${at}.items.maximum`],
  },
  'a limit far inside': {
    from: v(v({ items: v({ enum: ['a'] }) })),
    to: v(v({ items: v({ enum: ['a', 'c'] }) })),
    value: { v: [{ v: 'c' }] },
    members: [`${at}.properties.v.items.properties.v.enum`],
  },
  'a limit behind a reference': {
    from: { ...v(one), $defs: { one: { maximum: 5 } } },
    to: { ...v(one), $defs: { one: { maximum: 6 } } },
    value: 6,
    members: [`${at}.maximum`],
  },
  'a reference taken away': {
    from: { ...v(one), $defs: { one: { maximum: 5 } } },
    to: open,
    value: 6,
    members: [`${at}.maximum`],
  },
  'a reference to something wider': {
    from: { ...v(one), $defs: { one: { maxLength: 1 }, two: { maxLength: 3 } } },
    to: { ...v({ $ref: '#/$defs/two' }), $defs: { one: { maxLength: 1 }, two: { maxLength: 3 } } },
    value: 'abc',
    members: [`${at}.maxLength`],
  },
  'a part of allOf': {
    from: v({ allOf: [{ maximum: 5 }, { minimum: 1 }] }),
    to: v({ allOf: [{ minimum: 1 }] }),
    value: 6,
    members: [`${at}.maximum`],
  },
  'the stricter part of allOf': {
    from: v({ allOf: [{ maximum: 5 }, { maximum: 9 }] }),
    to: v({ allOf: [{ maximum: 9 }] }),
    value: 6,
    members: [`${at}.maximum`],
  },
  'a limit inside anyOf': {
    from: v({ anyOf: [{ maximum: 5 }, { const: 10 }] }),
    to: v({ anyOf: [{ maximum: 6 }, { const: 10 }] }),
    value: 6,
    members: [`${at}.anyOf`],
  },
  'another alternative of anyOf': {
    from: v({ anyOf: [{ const: 1 }, { const: 2 }] }),
    to: v({ anyOf: [{ const: 1 }, { const: 2 }, { const: 3 }] }),
    value: 3,
    members: [`${at}.anyOf`],
  },
  'another alternative of oneOf': {
    from: v({ oneOf: [{ const: 1 }, { const: 2 }] }),
    to: v({ oneOf: [{ const: 1 }, { const: 3 }] }),
    value: 3,
    members: [`${at}.oneOf`],
  },
  'not taken away': { from: v({ not: { maximum: 5 } }), to: open, value: 5, members: [`${at}.not`] },
  'a condition taken away': {
    from: v({ if: { minimum: 10 }, then: { multipleOf: 10, maximum: 50 } }),
    to: open,
    value: 60,
    members: [`${at}.if`],
  },
  'a limit of all further properties': {
    from: { properties: { w: {} }, additionalProperties: { maximum: 5 } },
    to: { properties: { w: {} } },
    value: 6,
    members: ['input.additionalProperties'],
  },
  'a further property out of a limit of them': {
    from: { additionalProperties: { maximum: 5 } },
    to: { properties: { v: {} }, additionalProperties: { maximum: 5 } },
    value: 6,
    members: ['input.additionalProperties'],
  },
  'a limit by the name of properties': {
    from: { patternProperties: { '^v': { maximum: 5 } } },
    to: {},
    value: 6,
    members: ['input.patternProperties.^v.maximum'],
  },
  'a limit in an input that refers to itself': {
    from: { ...v(one), $defs: { one: { maximum: 5, items: one } } },
    to: { ...v(one), $defs: { one: { maximum: 6, items: one } } },
    value: [[6]],
    members: ['input'],
  },
  'two limits at once': {
    from: v({ maximum: 5, minimum: 1 }),
    to: v({ maximum: 6, minimum: 0 }),
    value: 6,
    members: [`${at}.maximum`, `${at}.minimum`],
  },
};

const password = 'correct horse battery';

describe('inputs that are declared wider', () => {
  let world: World;
  let boss: Client;
  let register: ReturnType<typeof newRegistrar>;
  let made = 0;

  before(async () => {
    world = await newWorld({ manifest: {} });
    boss = await world.person('admin', 'Boss', { fresh: true, password });
    register = newRegistrar(await world.appKey());
  });
  after(() => world.close());

  const waiting = async (): Promise<Reply['body'][]> =>
    (await boss.get('/settings/loosenings?status=waiting&limit=200')).body.loosenings;

  for (const [title, { from, to, value, members }] of Object.entries(table))
    it(`${title}: stays refused until it is accepted`, async () => {
      made += 1;
      const name = `act${String(made)}`;
      const declared = (input: object): object => ({
        actions: [{ name, approval: true, input: { type: 'object', ...input } }],
      });
      const run = async (): Promise<string> => {
        const { status, body } = await boss.post('/actions', { action: name, input: { v: value } });
        return status === 400 ? `400 ${String(body.details[0].path).split('.').slice(0, 2).join('.')}` : String(status);
      };
      expect((await register(declared(from))).join('\n')).to.not.include('stays in force');
      const refused = '400 input';
      expect(await run()).to.satisfy((got: string) => got.startsWith(refused), 'refused by what was declared first');
      expect((await register(declared(to))).join('\n')).to.include('stays in force');
      expect(await run()).to.satisfy((got: string) => got.startsWith(refused), 'the limit stays in force');
      const found = (await waiting()).filter(({ on }) => on.name === name);
      expect(found.map(({ on }) => on.member as string)).to.have.members([...members]);
      await register({});
      await register(declared(to));
      expect(await run()).to.satisfy((got: string) => got.startsWith(refused), 'declared a second time');
      for (const { id } of found)
        expect((await boss.post(`/settings/loosenings/${String(id)}/accept`)).status).to.equal(200);
      expect(await run(), 'accepted').to.equal('202');
      expect((await register(declared(to))).join('\n'), 'nothing waits any more').to.not.include('stays in force');
    });

  it('stay refused in steps of which each leaves the type or the limit', async () => {
    const declared = (schema: object): object => ({
      actions: [{ name: 'steps', approval: true, input: { type: 'object', ...v(schema) } }],
    });
    const run = async (value: unknown): Promise<number> =>
      (await boss.post('/actions', { action: 'steps', input: { v: value } })).status;
    await register(declared({ type: 'number', maximum: 5 }));
    for (const step of [{ type: 'number' }, { type: 'string' }, {}, { maximum: 9 }]) {
      await register(declared(step));
      expect([await run(6), await run('6'), await run([6])], JSON.stringify(step)).to.deep.equal([400, 400, 400]);
    }
  });

  it('take effect at once where what is declared is as strict in another form', async () => {
    const declared = (schema: object): object => ({
      actions: [{ name: 'forms', approval: true, input: { type: 'object', ...v(schema) } }],
    });
    await register(declared({ type: 'number', maximum: 5 }));
    for (const stricter of [
      { type: 'number', exclusiveMaximum: 5 },
      { type: 'integer', maximum: 4 },
      { enum: [1, 2], maximum: 4 },
    ])
      expect((await register(declared(stricter))).join('\n')).to.not.include('stays in force');
  });

  it('are remembered whole where an earlier release has stored a rule without types', async () => {
    const declared = (schema: object): object => ({
      actions: [{ name: 'stored', approval: true, input: { type: 'object', ...v(schema) } }],
    });
    await register(declared({ type: 'number', maximum: 5 }));
    const path = `{input,${at.slice('input.'.length)}.type}`;
    for (const between of [[], [{}]]) {
      const [stored] = await world.sql<{ type: unknown }>(
        `select rule #> $1::text[] as type from definition_rules where name = 'stored'`,
        [path],
      );
      expect(stored?.type, 'the rule that is stored').to.deep.equal(['number']);
      await world.sql(`update definition_rules set rule = rule #- $1::text[] where name = 'stored'`, [path]);
      for (const manifest of between) await register(manifest);
      const warnings = await register(declared({ type: 'string', maximum: 5 }));
      expect(warnings.join('\n')).to.include(`${at}.type`).and.include('stays in force');
      await register(declared({ type: 'number', maximum: 5 }));
    }
  });
});

describe('new flags that wait for a person', () => {
  it('are hidden from the live stream of agents, and only from theirs, until a person accepts', async () => {
    const world = await newWorld({ manifest: {} });
    try {
      const boss = await world.person('admin', 'Boss', { fresh: true, password });
      const agent = await world.agent('operator');
      const app = await world.appKey();
      await boss.call('PATCH', '/settings/environments/demo', { acceptNew: true });
      const flag = (key: string): object => ({ key, kind: 'boolean', default: false });
      const connected = await connectApp(app, { manifest: { flags: [flag('beta')] }, startedAt: Date.now() });
      const [mine, theirs] = [await openLive(boss, '?types=flag'), await openLive(agent, '?types=flag')];
      const change = async (value: boolean): Promise<void> => {
        expect((await boss.post('/flags/beta', { change: { value } })).status).to.equal(200);
      };
      const seen = (stream: typeof mine, version: number): Promise<unknown> =>
        stream.next(`version ${String(version)}`, ({ type, flag: got }) => type === 'flag' && got.version === version);
      await change(true);
      await seen(mine, 2);
      const [found] = (await boss.get('/settings/loosenings?status=waiting')).body.loosenings;
      expect((await boss.post(`/settings/loosenings/${String(found.id)}/accept`)).status).to.equal(200);
      await theirs.next('the reset of a role that sees more', ({ type }) => type === 'reset');
      await change(false);
      await seen(mine, 3);
      await seen(theirs, 3);
      expect(theirs.messages.filter(({ type }) => type === 'flag')).to.have.length(1);
      expect((await agent.get('/flags/beta')).status).to.equal(200);
      await Promise.all([mine.close(), theirs.close(), connected.close()]);
    } finally {
      await world.close();
    }
  });
});
