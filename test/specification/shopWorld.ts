/** The shop whose app, records and people the tests of the specification work with: one for each test file, reached over HTTP and WebSockets alone. */
import { expect } from 'chai';
import type { FakeApp, Handler } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

export const manifest = {
  resources: [
    {
      name: 'customer',
      label: 'Customers',
      source: 'stored',
      fields: [
        { name: 'email', search: true },
        { name: 'plan', filter: true },
      ],
      relations: [{ name: 'orders', resource: 'order', field: 'customer' }],
    },
    {
      name: 'order',
      label: 'Orders',
      source: 'stored',
      fields: [{ name: 'status', filter: true }, { name: 'customer', filter: true }, { name: 'email' }],
    },
    { name: 'vault', source: 'stored' },
  ],
  inboxes: [
    {
      name: 'mail',
      label: 'Mail',
      responseTime: 3_600_000,
      reply: { via: 'app' },
      fields: { type: 'object', properties: { email: { type: 'string' }, plan: { type: 'string' } } },
      blocks: [{ type: 'text', title: 'From', text: 'Mail from {{item.fields.email}}' }],
      suggest: [
        { when: { field: 'item.fields.plan', op: 'eq', value: 'team' }, action: 'ping', reason: 'On the team plan.' },
      ],
    },
    { name: 'late', responseTime: 1 },
    { name: 'slow', responseTime: 86_400_000 },
    { name: 'bugs' },
    { name: 'secret' },
  ],
  views: [{ name: 'urgent', label: 'Urgent', tags: 'urgent' }],
  actions: [
    {
      name: 'receipt',
      label: 'Send receipt',
      resource: 'order',
      defaults: { email: '{{record.fields.email}}' },
      input: {
        type: 'object',
        additionalProperties: false,
        required: ['email'],
        properties: { email: { type: 'string' } },
      },
    },
    { name: 'refund', label: 'Refund', resource: 'order', danger: 'high' },
    {
      name: 'ship',
      label: 'Ship',
      resource: 'order',
      when: { field: 'record.fields.status', op: 'eq', value: 'paid' },
    },
    { name: 'write_off', label: 'Write off', resource: 'order', approval: true },
    { name: 'wipe', label: 'Wipe', freshSignIn: true },
    { name: 'reindex', label: 'Reindex', background: true },
    { name: 'ping', label: 'Ping' },
    { name: 'forbidden', label: 'Forbidden' },
  ],
  pages: [
    {
      name: 'customer',
      label: 'Customer',
      params: [{ name: 'customer', required: true }],
      blocks: [
        { type: 'record', title: 'Who', source: 'records', query: { resource: 'customer', id: '{{params.customer}}' } },
        { type: 'stat', title: 'Bugs', source: 'counts', query: { inbox: 'bugs', count: 'total' } },
      ],
    },
  ],
  flags: [
    ...['checkout', 'search', 'banner', 'beta', 'ramped', 'scheduled', 'timed', 'stopped', 'told'].map((key) => ({
      key,
      kind: 'boolean',
      default: false,
    })),
    { key: 'guarded', kind: 'boolean', default: false, approval: true },
    { key: 'dangerous', kind: 'boolean', default: false, danger: 'low' },
    { key: 'engine', kind: 'string', default: 'postgres' },
  ],
} as const;

/** Everything but the inbox `secret`, the resource `vault`, the action `forbidden` and the flag `banner`. */
const clerk = [
  ...['mail', 'late', 'slow', 'bugs'].map((name) => ({ on: `inbox:${name}`, can: ['*'] })),
  ...['customer', 'order'].map((name) => ({ on: `resource:${name}`, can: ['see'] })),
  ...manifest.actions
    .filter(({ name }) => name !== 'forbidden')
    .map(({ name }) => ({ on: `action:${name}`, can: ['run'] })),
  ...manifest.flags
    .filter(({ key }) => key !== 'banner')
    .map(({ key }) => ({ on: `flag:${key}`, can: ['see', 'change'] })),
  { on: 'page:*', can: ['see'] },
  { on: 'approvals', can: ['see', 'decide'] },
];

export interface ShopWorld {
  readonly world: World;
  /** An agent of the role `clerk`. */
  readonly agent: Client;
  /** A person of the same role. */
  readonly ana: Client;
  readonly admin: Client;
  readonly key: Client;
  /** The app, connected; it answers each run with `Done.` unless a test sets another answer. */
  app(handlers?: Readonly<Record<string, Handler>>): Promise<FakeApp>;
  /** A new item's id. */
  item(more?: object): Promise<string>;
  records(resource: string, records: readonly object[]): Promise<void>;
  close(): Promise<void>;
}

export const ok = (reply: Reply, status = 200): Reply['body'] => {
  expect(reply.status, reply.text).to.equal(status);
  return reply.body;
};
export const codeOf = (reply: Reply): string => `${String(reply.status)} ${String(reply.body?.code)}`;
export const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
export const idsOf = (things: readonly { readonly id: string }[]): string[] => things.map(({ id }) => id);

/** Until the clock shows a later millisecond, for times that have to differ. */
export const tick = async (): Promise<void> => {
  const now = Date.now();
  await until('the clock has moved on', () => Date.now() > now);
};

export const newShopWorld = async (): Promise<ShopWorld> => {
  const world = await newWorld({ manifest });
  await world.role('clerk', clerk);
  const [agent, ana, admin, key] = [
    await world.agent('clerk', { name: 'Clerk bot' }),
    await world.person('clerk', 'Ana Lind'),
    await world.agent('admin'),
    await world.appKey(),
  ];
  const records = async (resource: string, given: readonly object[]): Promise<void> => {
    ok(await key.post(`/resources/${resource}/records`, { records: given }));
  };
  await records('customer', [
    { id: 'c1', title: 'Ada Byron', fields: { email: 'ada@example.com', plan: 'team' } },
    { id: 'c2', title: 'Bo Ek', fields: { email: 'bo@example.com', plan: 'free' } },
  ]);
  await records('order', [
    { id: 'o1', title: 'Order 1', fields: { status: 'paid', customer: 'c1', email: 'ada@example.com' } },
    { id: 'o2', title: 'Order 2', fields: { status: 'open', customer: 'c1', email: 'ada@example.com' } },
  ]);
  await records('vault', [{ id: 'v1', title: 'Gold' }]);
  return {
    world,
    agent,
    ana,
    admin,
    key,
    records,
    app: (handlers = {}) =>
      world.app({
        'action.run': () => ({ message: 'Done.', blocks: [] }),
        'reply.send': () => null,
        ...handlers,
      }),
    item: async (more = {}) =>
      ok(await admin.post('/items', { inbox: 'bugs', title: 'An item', data: {}, ...more }), 201).item.id as string,
    close: () => world.close(),
  };
};
