/**
 * Every endpoint that takes an idempotency key answers a repeat with the bytes of the first answer, whatever the clock said meanwhile,
 * and keeps no second copy of a long text for it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { rpcError } from '../../support/app.ts';
import { readDocuments, type Operation } from '../../support/documented.ts';
import type { Client, Reply } from '../../support/http.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';
import { keyed } from './conventionsWorld.ts';

/** A text that no compression makes smaller. */
const longText = (length = 20_000): string => randomBytes(length).toString('base64url').slice(0, length);
const declaredText = longText();

const manifest = {
  resources: [{ name: 'customer', source: 'stored' }],
  inboxes: [{ name: 'mail', reply: { via: 'app' } }],
  actions: [
    { name: 'wait', label: 'Wait', input: { type: 'object' } },
    { name: 'ask', label: 'Ask', approval: true, input: { type: 'object' } },
    { name: 'pay', label: 'Pay', resource: 'customer', input: { type: 'object' } },
  ],
  flags: [
    { key: 'beta', kind: 'boolean', default: false },
    { key: 'banner', kind: 'string', default: declaredText, description: declaredText.slice(0, 1_500) },
  ],
};

/** Operations whose answer has a credential, which a repeat leaves out, and those that other tests repeat. */
const elsewhere = new Set([
  'create_agent',
  'rotate_agent_token',
  'sign_out',
  'create_app_key',
  'rotate_app_key',
  'end_my_session',
  'put_records',
  'retry_job',
  'change_jobs',
  'create_erasure',
  'accept_loosening',
  'refuse_loosening',
]);

/** Returns whether a request, such as `POST /items`, is one of an operation. */
const isOf = ({ method, path }: Pick<Operation, 'method' | 'path'>, request: string): boolean =>
  new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(request);

/** A member that takes a long text: its place, the characters, and a function that puts a text there. */
type LongMember = readonly [string, number, (body: object, text: string) => object];

interface BodySchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, object>>;
  readonly anyOf?: readonly object[];
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly maxLength?: number;
}

/** Returns the members of a schema that take a long text, and those that take anything. */
const longMembers = (schema: object, place: readonly string[] = []): LongMember[] => {
  const { type, properties, anyOf, enum: values, const: value, maxLength = 12_000 } = schema as BodySchema;
  if (anyOf !== undefined) return anyOf.flatMap((one) => longMembers(one, place));
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, member]) => longMembers(member, [...place, name]));
  const put =
    (wrap: (text: string) => unknown) =>
    (body: object, text: string): object => {
      const given: Record<string, unknown> = structuredClone({ ...body });
      let at = given;
      for (const name of place.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>;
      at[place.at(-1) ?? ''] = wrap(text);
      return given;
    };
  const named = place.join('.');
  const length = Math.min(maxLength, 60_000);
  if (values !== undefined || value !== undefined || place.length === 0 || length <= 1_024) return [];
  const texts: LongMember[] = [[named, length, put((text) => text)]];
  const objects: LongMember[] = [[`${named}.*`, length, put((text) => ({ text }))]];
  const takes = (kind: string): boolean => type === undefined || [type].flat().includes(kind);
  return [...(takes('string') ? texts : []), ...(takes('object') ? objects : [])];
};

/** Returns a body whose name and address nobody has yet. */
const withNewName = (body: object, n: number): object => ({
  ...body,
  ...('name' in body ? { name: `name ${String(n)}` } : {}),
  ...('email' in body ? { email: `new${String(n)}@example.com` } : {}),
});

/** Returns the texts in a saved answer that are too long to be kept twice; what an app declares is kept. */
const longTextsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return value.length > 1_024 && !declaredText.startsWith(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(longTextsIn) : [];
};

describe('conventions over HTTP: replays of every endpoint', () => {
  let world: World;
  let admin: Client;
  let boss: Client;

  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.agent('admin');
    boss = await world.person('admin', 'Boss', { fresh: true });
    await world.records('customer', [{ id: 'c1', title: 'Ada' }]);
  });
  after(() => world.close());

  const idOf = async (client: Client, path: string, body: object, pick: string): Promise<string> => {
    const reply = await client.post(path, body);
    const found = (reply.body as Record<string, unknown>)[pick];
    return typeof found === 'string' ? found : (found as { id: string }).id;
  };
  const item = (): Promise<string> =>
    idOf(admin, '/items', { inbox: 'mail', title: 'Repeated', data: { stack: longText() } }, 'item');
  const run = (): Promise<string> => idOf(admin, '/actions', { action: 'wait', input: { text: longText() } }, 'run');
  let asked = 0;
  const savedUnder = async (key: string): Promise<unknown> => {
    const [row] = await world.sql<{ body: string }>('select body from idempotency_keys where key = $1', [key]);
    return row === undefined || row.body === '' ? null : JSON.parse(row.body);
  };
  const pending = (pick: 'approval' | 'run'): Promise<string> =>
    idOf(admin, '/actions', { action: 'ask', input: { text: longText() }, reason: longText(2_000) }, pick);
  const bulk = async (): Promise<string> =>
    idOf(
      admin,
      '/bulk',
      { ids: [await item(), await item()], operation: { type: 'tags', add: [`t${String((asked += 1))}`], remove: [] } },
      'bulk',
    );
  const paying = async (input: object): Promise<object> => {
    const record = { resource: 'customer', id: 'c1' };
    const ids = [await idOf(admin, '/items', { inbox: 'mail', title: 'Paid', record }, 'item')];
    return { ids, operation: { type: 'action', action: 'pay', input } };
  };
  const settledBulk = async (): Promise<string> => {
    const id = await bulk();
    await until('the bulk is done', async () => (await admin.get(`/bulk/${id}`)).body.bulk.status === 'done');
    return id;
  };
  const setting = (kind: string, body: object, pick: string): Promise<string> =>
    idOf(boss, `/settings/${kind}`, { name: `made ${String((asked += 1))}`, ...body }, pick);
  const view = (): Promise<string> =>
    idOf(boss, '/me/views', { name: `view ${String((asked += 1))}`, query: {} }, 'view');

  /** A call of an endpoint by its name: who calls, the path and the body. */
  const calls: Readonly<Record<string, () => Promise<readonly [Client, string, string, object?]>>> = {
    'person.updateSelf': async () => [boss, 'PATCH', '/me', { name: 'Boss again' }],
    'view.create': async () => [boss, 'POST', '/me/views', { name: 'Mine', query: {} }],
    'view.update': async () => [boss, 'PATCH', `/me/views/${await view()}`, { name: 'Renamed' }],
    'view.delete': async () => [boss, 'DELETE', `/me/views/${await view()}`],
    'item.create': async () => [admin, 'POST', '/items', { inbox: 'mail', title: 'New' }],
    'item.update': async () => [admin, 'PATCH', `/items/${await item()}`, { state: 'waiting', note: 'x' }],
    'item.claimNext': async () => [admin, 'POST', '/items/claim', { count: 20 }],
    'item.claim': async () => [admin, 'POST', `/items/${await item()}/claim`, {}],
    'item.release': async () => [admin, 'POST', `/items/${await item()}/release`, {}],
    'item.state': async () => [admin, 'POST', `/items/${await item()}/state`, { state: 'closed' }],
    'item.assign': async () => [admin, 'POST', `/items/${await item()}/assign`, { assignee: boss.id }],
    'item.tags': async () => [admin, 'POST', `/items/${await item()}/tags`, { add: ['x'] }],
    'item.snooze': async () => [admin, 'POST', `/items/${await item()}/snooze`, { until: 4_102_444_800_000 }],
    'item.note': async () => [admin, 'POST', `/items/${await item()}/notes`, { text: 'x' }],
    'item.reply': async () => [admin, 'POST', `/items/${await item()}/reply`, { text: 'x' }],
    'item.triage': async () => [admin, 'POST', `/items/${await item()}/triage`, { answers: { spam: 'no' } }],
    'action.run': async () => [admin, 'POST', '/actions', { action: 'wait' }],
    'run.cancel': async () => [admin, 'POST', `/runs/${await run()}/cancel`],
    'run.cancel of a request': async () => [admin, 'POST', `/runs/${await pending('run')}/cancel`],
    'run.retry': async () => {
      const id = await run();
      await world.sql(`update runs set status = 'failed', finished_at = 1 where id = $1`, [id]);
      await world.sql('delete from staged_jobs where subject = $1', [id]);
      return [admin, 'POST', `/runs/${id}/retry`];
    },
    'approval.approve': async () => [boss, 'POST', `/approvals/${await pending('approval')}/approve`],
    'approval.comment': async () => [admin, 'POST', `/approvals/${await pending('approval')}/comments`, { text: 'x' }],
    'question.ask': () =>
      Promise.resolve([admin, 'POST', '/questions', { text: `Question ${String((asked += 1))}?`, options: ['Yes'] }]),
    'approval.answer': async () => {
      const question = { text: `Question ${String((asked += 1))}?`, options: ['Yes'] };
      return [
        boss,
        'POST',
        `/approvals/${await idOf(admin, '/questions', question, 'approval')}/answer`,
        { answer: 'Yes' },
      ];
    },
    'approval.decide': async () => {
      const id = await pending('approval');
      const { digest } = (await boss.get(`/approvals/${id}`)).body.approval as { readonly digest: string };
      return [boss, 'POST', '/approvals/decide', { decisions: [{ id, digest }], verdict: 'reject' }];
    },
    'approval.reject': async () => [boss, 'POST', `/approvals/${await pending('approval')}/reject`, { note: 'No.' }],
    'approval.cancel': async () => [admin, 'POST', `/approvals/${await pending('approval')}/cancel`],
    'bulk.create': async () => [
      admin,
      'POST',
      '/bulk',
      { ids: [await item()], operation: { type: 'state', state: 'closed' } },
    ],
    'bulk.create of an action': async () => [admin, 'POST', '/bulk', await paying({})],
    'bulk.cancel': async () => {
      const body = await paying({ text: longText() });
      return [admin, 'POST', `/bulk/${await idOf(admin, '/bulk', body, 'bulk')}/cancel`];
    },
    'bulk.undo': async () => [admin, 'POST', `/bulk/${await settledBulk()}/undo`],
    'flag.change': async () => [admin, 'POST', '/flags/beta', { change: { value: true } }],
    'flag.change to a ramp': async () => [
      admin,
      'POST',
      '/flags/beta',
      { change: { ramp: { to: 50, over: 60_000, every: 1_000, at: null } } },
    ],
    'flag.change of one with a long value': async () => {
      await admin.post('/flags/banner', { change: { value: longText(), targets: { other: longText() } } });
      return [admin, 'POST', '/flags/banner', { change: { targets: { one: 'x' } } }];
    },
    'agent.update': async () => [
      boss,
      'PATCH',
      `/settings/agents/${await setting('agents', { role: 'viewer' }, 'agent')}`,
      { name: 'Bot' },
    ],
    'agent.revoke': async () => [
      boss,
      'DELETE',
      `/settings/agents/${await setting('agents', { role: 'viewer' }, 'agent')}`,
    ],
    'role.create': async () => [boss, 'POST', '/settings/roles', { name: 'made', grants: [] }],
    'role.update': async () => [
      boss,
      'PATCH',
      `/settings/roles/${await setting('roles', { grants: [] }, 'role')}`,
      { name: 'again' },
    ],
    'role.delete': async () => [boss, 'DELETE', `/settings/roles/${await setting('roles', { grants: [] }, 'role')}`],
    'person.create': async () => [
      boss,
      'POST',
      '/settings/people',
      { name: 'New', email: 'new@example.com', role: 'viewer', password: 'a long and rare password' },
    ],
    'person.update': async () => [
      boss,
      'PATCH',
      `/settings/people/${(await world.person('viewer')).id}`,
      { name: 'Renamed' },
    ],
    'person.revoke': async () => [boss, 'DELETE', `/settings/people/${(await world.person('viewer')).id}`],
    'appKey.update': async () => [
      boss,
      'PATCH',
      `/settings/app-keys/${await setting('app-keys', {}, 'appKey')}`,
      { name: 'App' },
    ],
    'appKey.revoke': async () => [boss, 'DELETE', `/settings/app-keys/${await setting('app-keys', {}, 'appKey')}`],
    'environment.create': async () => [boss, 'POST', '/settings/environments', { name: 'staging' }],
    'environment.update': async () => [boss, 'PATCH', '/settings/environments/demo', { independentApproval: false }],
  };

  const called: string[] = [];

  for (const [name, prepare] of Object.entries(calls))
    it(`${name} answers a repeat alike`, async () => {
      const [client, method, path, body] = await prepare();
      called.push(`${method} ${path}`);
      const first = await world.clock.tickWhile(() => client.call(method, path, body, keyed(name)));
      expect(first.status, first.text).to.be.within(200, 299);
      const again = await client.call(method, path, body, keyed(name));
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect([again.status, again.text]).to.deep.equal([first.status, first.text]);
      expect(longTextsIn(await savedUnder(name))).to.deep.equal([]);
    });

  /** Which long texts each operation has taken, by the names of the calls above and of the members. */
  const taken: string[] = [];

  for (const [name, prepare] of Object.entries(calls))
    it(`${name} keeps no long text twice, and answers it again when it has changed since`, async () => {
      const { operations } = await readDocuments(world.base);
      const [, method, path] = await prepare();
      const schema = operations.find((operation) => isOf(operation, `${method} ${path}`))?.body?.schema ?? {};
      for (const [member, length, put] of longMembers(schema)) {
        const [client, , on, body = {}] = await prepare();
        const sent = longText(length);
        const given = put(withNewName(body, (asked += 1)), sent);
        const key = `${name} ${member}`;
        const first = await client.call(method, on, given, keyed(key));
        expect(first.status, first.text).to.be.below(500);
        if (first.status >= 300) continue;
        taken.push(key);
        const saved = longTextsIn(await savedUnder(key));
        // Preferences have no history: who changes something else keeps the answer of then.
        expect(on.startsWith('/me') ? saved.filter((text) => text === sent) : saved, key).to.deep.equal([]);
        await client.call(method, on, put(withNewName(body, (asked += 1)), longText(length)), keyed(`${key} again`));
        const repeated = await client.call(method, on, given, keyed(key));
        expect(repeated.headers.get('idempotent-replayed'), key).to.equal('true');
        expect(repeated.text === first.text, `${key}: ${repeated.text.slice(0, 2_000)}`).to.equal(true);
      }
    });

  it('has sent long texts to what takes them', () => {
    expect(taken.filter((key) => !key.endsWith(' reason'))).to.deep.equal([
      'person.updateSelf preferences.*',
      'item.create data.*',
      'item.update note',
      'item.note text',
      'item.reply text',
      'item.triage answers.*',
      'action.run input.*',
      'approval.approve input.*',
      'approval.comment text',
      'question.ask text',
      'bulk.create of an action operation.input.*',
      'flag.change of one with a long value change.value',
      'flag.change of one with a long value change.targets.*',
    ]);
    // Each audited change takes a reason.
    expect(taken.filter((key) => key.endsWith(' reason'))).to.have.length.above(30);
  });

  it('leaves out no operation that takes a key', async () => {
    const { operations } = await readDocuments(world.base);
    const missing = operations.filter(({ id, method, path, parameters }) => {
      const takesKey = parameters.some(({ name }) => name === 'idempotency-key');
      return takesKey && !elsewhere.has(id) && !called.some((one) => isOf({ method, path }, one));
    });
    expect(missing.map(({ id }) => id)).to.deep.equal([]);
  });
});

describe('conventions over HTTP: replays of what an app answered', () => {
  let world: World;
  let admin: Client;
  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.agent('admin');
  });
  after(() => world.close());

  /** Runs an action under a key, and expects what is saved to have no long text. */
  const runKeyed = async (key: string, handler: () => unknown): Promise<[Reply, () => Promise<Reply>]> => {
    const app = await world.app({ 'action.run': handler });
    const call = (): Promise<Reply> => admin.post('/actions', { action: 'wait' }, keyed(key));
    const first = await call();
    await app.close();
    const [row] = await world.sql<{ body: string }>('select body from idempotency_keys where key = $1', [key]);
    expect(longTextsIn(JSON.parse(row?.body ?? ''))).to.deep.equal([]);
    return [first, call];
  };

  it('have the texts of then, those of items that have changed since too', async () => {
    const report = (stack: string) =>
      admin.post('/items', { inbox: 'mail', title: 'Long', key: 'long', data: { stack } });
    const { id } = (await report(longText())).body.item;
    const blocks = [
      { type: 'text', title: 'Read', text: longText(5_000) },
      { type: 'items', title: 'These', items: [id] },
    ];
    const [first, repeat] = await runKeyed('done', () => ({ message: longText(1_500), blocks }));
    expect(first.status, first.text).to.equal(200);
    expect(longTextsIn(first.body)).to.have.length.above(1);
    await report(longText());
    expect((await repeat()).text).to.equal(first.text);
  });

  it('are not changed by a text that looks like what is kept in the place of another', async () => {
    const stack = longText();
    const looks = `text:sha256:${createHash('sha256').update(JSON.stringify(stack)).digest('hex')}`;
    const body = { inbox: 'mail', title: 'Looks', data: { stack, looks, [looks]: looks } };
    const first = await admin.post('/items', body, keyed('looks'));
    expect([first.status, first.body.item.fields], first.text).to.deep.equal([201, body.data]);
    expect((await admin.post('/items', body, keyed('looks'))).text).to.equal(first.text);
  });

  it('have the refusal of then when the run was done again', async () => {
    const [first, repeat] = await runKeyed('refused', () => {
      throw rpcError(-32001, longText(1_900));
    });
    expect([first.status, longTextsIn(first.body).length]).to.deep.equal([422, 1]);
    const { run: id } = first.body;
    const app = await world.app({ 'action.run': () => ({ message: 'Done.', blocks: [] }) });
    expect((await admin.post(`/runs/${id}/retry`, {})).status).to.equal(200);
    await app.close();
    const again = await repeat();
    expect([again.status, again.body.error]).to.deep.equal([422, first.body.error]);
  });
});
