/** Shared set-up of the tests of actions over HTTP: a clerk's agent, two orders, and an app that comes and goes. */
import { connectApp, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

export const manifest = {
  resources: [
    { name: 'order', source: 'stored', fields: [{ name: 'status', filter: true }, { name: 'email' }] },
    { name: 'payment', source: 'app', fields: [{ name: 'status' }] },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [{ name: 'mail' }, { name: 'secret' }],
  actions: [
    {
      name: 'receipt',
      label: 'Send receipt',
      resource: 'order',
      input: {
        type: 'object',
        additionalProperties: false,
        required: ['email'],
        properties: { email: { type: 'string', minLength: 3 }, copies: { type: 'integer', default: 1 } },
      },
      defaults: { email: '{{record.fields.email}}' },
    },
    {
      name: 'refund',
      label: 'Refund',
      resource: 'order',
      danger: 'high',
      when: { field: 'record.fields.status', op: 'eq', value: 'paid' },
    },
    { name: 'approve_me', resource: 'order', approval: true },
    { name: 'fresh', freshSignIn: true },
    { name: 'reindex', background: true, repeatable: true },
    { name: 'strict', offline: 'refuse' },
    { name: 'settle_payment', resource: 'payment' },
    { name: 'open_vault', resource: 'vault' },
    { name: 'ping' },
  ],
} as const;

export const clerk = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'resource:order', can: ['see'] },
  { on: 'resource:payment', can: ['see'] },
  ...['receipt', 'refund', 'approve_me', 'fresh', 'reindex', 'strict', 'settle_payment', 'open_vault', 'ping'].map(
    (name) => ({ on: `action:${name}`, can: ['run'] }),
  ),
];

/** To be called in a suite: opens the world before its tests and closes it after them. */
export const useActions = () => {
  let world: World;
  let agent: Client;
  let viewer: Client;
  let key: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerk);
    await world.role('sees-orders', [{ on: 'resource:order', can: ['see'] }]);
    agent = await world.agent('clerk');
    viewer = await world.agent('sees-orders');
    key = await world.appKey();
    await world.records('order', [
      { id: 'o1', title: 'Order 1', fields: { status: 'paid', email: 'ana@example.com' } },
      { id: 'o2', title: 'Order 2', fields: { status: 'open', email: 'bo@example.com' } },
    ]);
  });
  after(() => world.close());

  const online = (
    handlers: Parameters<typeof connectApp>[1] extends infer O
      ? O extends { handlers?: infer H }
        ? H
        : never
      : never = {},
  ): Promise<FakeApp> =>
    connectApp(key, { manifest, handlers: { 'action.run': () => ({ message: 'Done.', blocks: [] }), ...handlers } });
  const offline = async (app: FakeApp): Promise<void> => {
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
  };
  const runOf = async (id: string, client = agent): Promise<Reply['body']> =>
    (await client.get(`/runs/${id}`)).body.run;
  const settled = (id: string): Promise<unknown> =>
    until(
      `the run ${id} is settled`,
      async () => !['pending', 'queued', 'running'].includes((await runOf(id)).status),
      20_000,
    );
  const codeOf = (reply: Reply): string => `${String(reply.status)} ${String(reply.body.code)}`;

  return {
    online,
    offline,
    runOf,
    settled,
    codeOf,
    get world() {
      return world;
    },
    get agent() {
      return agent;
    },
    get viewer() {
      return viewer;
    },
    get key() {
      return key;
    },
  };
};
