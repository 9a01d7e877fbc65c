/** The environment that generated requests are sent to: an app that answers well, badly or not at all, all kinds of callers, and what is there. */
import { rpcError, type FakeApp, type Handler } from '../../support/app.ts';
import { readDocuments } from '../../support/documented.ts';
import type { Client } from '../../support/http.ts';
import { clerkGrants, testManifest } from '../../support/manifest.ts';
import { listTools } from '../../support/tools.ts';
import { newWorld, type World } from '../../support/world.ts';
import type { Known } from './requests.ts';

const manifest = {
  ...testManifest,
  resources: [
    {
      name: 'customer',
      source: 'stored',
      fields: [
        { name: 'email', search: true, filter: true },
        { name: 'seats', type: 'number', filter: true, sort: true },
      ],
      relations: [
        { name: 'payments', resource: 'payment', field: 'customer' },
        { name: 'parent', resource: 'customer', key: 'parent' },
      ],
      blocks: [{ type: 'text', text: '{{record.title}}' }],
    },
    { name: 'payment', source: 'app', fields: [{ name: 'customer', filter: true }], relations: [{ name: 'any' }] },
    { name: 'vault', source: 'stored' },
  ],
  actions: [
    ...testManifest.actions,
    {
      name: 'greet',
      resource: 'customer',
      input: { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
      when: { field: 'record.fields.seats', op: 'gte', value: 1 },
    },
    { name: 'erase', resource: 'customer', danger: 'high', input: { type: 'object' } },
    { name: 'asked', resource: 'customer', approval: true, input: { type: 'object' } },
    { name: 'slow', background: true, input: { type: 'object' } },
    { name: 'settle', resource: 'payment', offline: 'refuse', input: { type: 'object' } },
    { name: 'fresh', freshSignIn: true },
  ],
  pages: [
    {
      name: 'overview',
      params: [{ name: 'q' }],
      blocks: [
        { type: 'items', source: 'items', query: { search: '{{params.q}}' } },
        { type: 'table', source: 'records', query: { resource: 'customer', q: '{{params.q}}' } },
        { type: 'table', source: 'records', query: { resource: 'payment' } },
        { type: 'record', source: 'records', query: { resource: 'customer', id: '{{params.q}}' } },
        { type: 'stat', source: 'counts', query: { state: '{{params.q}}' } },
        { type: 'table', source: 'flags' },
        { type: 'text', source: 'app' },
        { type: 'link', url: '{{params.q}}' },
      ],
    },
  ],
  flags: [
    { key: 'checkout', kind: 'boolean', default: false },
    { key: 'theme', kind: 'string', default: 'plain' },
    { key: 'asks', kind: 'number', default: 1, approval: true },
    { key: 'plan', kind: 'json', default: {}, danger: 'low' },
  ],
};

/** Returns the app's handlers; `ids` returns ids of items that are there. */
const handlersOf = (ids: () => readonly string[]): Readonly<Record<string, Handler>> => {
  let turn = 0;
  /** Returns a valid answer, fails, or returns an invalid one; now and then too late. */
  const moody =
    (well: Handler): Handler =>
    (params) => {
      turn += 1;
      if (turn % 7 === 0) throw rpcError(-32001, 'Not now.', { retryable: false });
      if (turn % 11 === 0) throw rpcError(-32603, 'It broke.');
      return turn % 13 === 0 ? ['nonsense', { blocks: 1, records: 'x' }, null, 7][turn % 4] : well(params);
    };
  const blocks = (): object[] => [
    { type: 'text', text: 'x' },
    { type: 'items', items: ids().map((id) => ({ id })) },
    { type: 'record', record: { resource: 'vault', id: 'x', title: 'x' } },
    { type: 'actions', actions: [{ action: 'greet', record: 'c1' }] },
    { type: 'nosuch' },
  ];
  const payments = (): object => ({
    records: [{ id: 'p1', title: 'Payment', fields: { customer: 'c1' } }],
    cursor: null,
  });
  return {
    'action.run': moody(() => ({ message: 'Done.', blocks: blocks() })),
    'action.available': moody(() => ({ available: [] })),
    'records.search': moody(payments),
    'records.list': moody(payments),
    'records.related': moody(payments),
    'records.get': moody(payments),
    'item.blocks': moody(() => ({ blocks: blocks(), suggestedActions: [{ action: 'greet' }] })),
    'record.blocks': moody(() => ({ blocks: blocks() })),
    'page.block': moody(() => ({ block: blocks()[0] })),
    'reply.send': moody(() => ({})),
  };
};

interface FuzzWorld extends Known {
  readonly world: World;
  readonly app: FakeApp;
  readonly clients: readonly Client[];
}

export const openFuzzWorld = async (): Promise<FuzzWorld> => {
  const world = await newWorld({ manifest });
  const documents = await readDocuments(world.base);
  await world.role('clerk', [
    ...clerkGrants,
    { on: 'resource:payment', can: ['see'] },
    { on: 'action:*', can: ['run'] },
    { on: 'flag:checkout', can: ['*'] },
    { on: 'approvals', can: ['*'] },
  ]);
  const person = await world.person('operator');
  const boss = await world.person('admin', 'Boss', { fresh: true });
  const key = await world.appKey();
  const leaving = await world.person('viewer', 'Leaving');
  const clients: Client[] = [
    await world.agent('admin'),
    await world.agent('clerk'),
    await world.agent('viewer'),
    await world.agent('admin', { mode: 'readonly' }),
    key,
    person,
    await world.agent('operator', { mode: 'supervised' }),
    boss,
    leaving,
  ];
  const [admin] = clients;
  if (admin === undefined) throw new Error('There is no admin.');
  await world.records('customer', [
    { id: 'c1', title: 'Ada', fields: { email: 'ana@example.com', seats: 3 } },
    { id: 'c2', title: 'Bo', fields: { parent: 'c1' } },
  ]);
  let ids: readonly string[] = [];
  const app = await world.app(handlersOf(() => ids));
  const made: string[] = [];
  for (const inbox of ['mail', 'refunds', 'bugs', 'secret'])
    made.push(
      (
        await admin.post('/items', {
          inbox,
          title: `of ${inbox}`,
          key: inbox,
          record: { resource: 'customer', id: 'c1' },
        })
      ).body.item.id,
    );
  const bulks = [
    (await admin.post('/bulk', { ids: made, operation: { type: 'tags', add: ['billing'], remove: [] } })).body.bulk
      .id as string,
  ];
  ids = [...made, 'itm_01jd0000000000000000000000', person.id];
  const answers = async (kind: 'run' | 'approval', inputs: readonly object[]): Promise<string[]> => {
    const found: string[] = [];
    for (const body of inputs) found.push(String((await admin.post('/actions', body)).body[kind]));
    return found;
  };
  const inputs = Array.from({ length: 6 }, (_, n) => ({ n }));
  const several = <T>(make: () => Promise<T>): Promise<T[]> => Promise.all([make(), make(), make(), make(), make()]);
  const idsOf = (made: readonly Client[]): string[] => made.map(({ id }) => id);
  const pools = {
    agents: idsOf(await several(() => world.agent('viewer'))),
    people: idsOf(await several(() => world.person('viewer', 'Bo'))),
    'app-keys': idsOf(await several(() => world.appKey())),
    roles: [await world.role('Spare', []), await world.role('Other', []), await world.role('Third', [])],
    items: ids,
    bulk: [...bulks, 'blk_01jd0000000000000000000000'],
    runs: [
      ...(await answers('run', [
        { action: 'greet', record: 'c1' },
        { action: 'greet', record: 'c1' },
        { action: 'slow' },
        { action: 'settle', record: 'p1' },
        { action: 'asked', record: 'c1' },
        { action: 'asked', record: 'c2' },
      ])),
      'run_01jd0000000000000000000000',
    ].filter((id) => id !== 'undefined'),
    approvals: [
      ...(await answers(
        'approval',
        inputs.map((input) => ({ action: 'asked', record: 'c1', input })),
      )),
      'apr_01jd0000000000000000000000',
    ],
    record: ['c1', 'c2', 'p1'],
    resource: ['customer', 'customer', 'payment', 'vault', 'nosuch'],
    resources: ['c1', 'c2', 'p1', 'nosuch', 'list', 'records'],
    relation: ['payments', 'parent', 'parent', 'any', 'nosuch'],
    page: ['overview', 'nosuch'],
    flag: ['checkout', 'checkout', 'checkout', 'theme', 'asks', 'plan', 'nosuch'],
  };
  const usual = {
    inbox: ['mail', 'refunds', 'bugs'],
    state: ['open', 'waiting', 'closed'],
    'state[]': ['open', 'closed', 'paid'],
    title: ['A title', 'x'],
    tags: [[], ['billing']],
    add: [['billing'], ['x', 'y']],
    remove: [[], ['seen']],
    assignee: [null, person.id, 'none'],
    until: [null, Date.now() + 86_400_000],
    text: ['Some text', '# x'],
    subject: ['A subject'],
    key: ['k1', 'k2'],
    user: ['u1'],
    links: [[], [{ resource: 'customer', id: 'c1' }]],
    answers: [{ spam: 'no' }, {}],
    close: [false, true],
    action: ['greet', 'erase', 'asked', 'slow', 'settle', 'upgrade'],
    record: ['c1', 'c2', 'p1'],
    item: ids.slice(0, 3),
    confirmed: [true],
    input: [{}, { a: 'y' }],
    ids: [ids, ids.slice(0, 1)],
    view: ['open'],
    refs: [[{ resource: 'customer', id: 'c1' }], [{ resource: 'payment', id: 'p1' }]],
    records: [[], [{ id: 'c3', title: 'Cy' }]],
    deleted: [[], ['c3']],
    change: [
      { value: true },
      { rollout: 5 },
      { value: 'x' },
      { targets: { c1: true } },
      { rules: [] },
      { value: true, ramp: { to: 50, over: 5_000, every: 1_000, at: null } },
      { ramp: null },
    ],
    context: [{ targetingKey: 'c1' }, {}],
    note: ['Fine.'],
    role: ['viewer', 'operator', 'nosuch'],
    grants: [[], [{ on: 'inbox:mail', can: ['see'] }]],
    email: ['new@example.com', 'other@example.com'],
    password: ['correct horse battery'],
    environments: [['demo'], ['*']],
    mode: ['normal', 'supervised'],
    expiresAt: [null, Date.now() + 86_400_000],
    grace: [0, 1_000],
    status: ['pending', 'succeeded', 'approved'],
    name: ['One', 'Two', 'three'],
    resource: ['customer', 'payment'],
    flag: ['checkout', 'theme'],
    page: ['overview'],
    relation: ['payments', 'parent'],
    cursor: ['x'],
    sort: ['title', '-seats', 'due'],
    by: ['inbox', 'state', 'tag'],
    search: ['of', 'mail'],
    q: ['a', 'c1'],
  };
  const words = [
    'mail',
    'refunds',
    'bugs',
    'secret',
    'open',
    'waiting',
    'closed',
    'requested',
    'approved',
    'billing',
    'customer',
    'payment',
    'c1',
    'p1',
    'none',
    'upgrade',
    'greet',
    'erase',
    'asked',
    'slow',
    'settle',
    'fresh',
    'checkout',
    'overview',
    'email',
    'seats',
    'action',
    'pending',
    'viewer',
  ];
  const tools = await listTools(admin);
  await world.settled();
  const places = { boss: clients.indexOf(boss), app: clients.indexOf(key), leaving: clients.indexOf(leaving) };
  return { world, app, documents, clients, places, ids, pools, usual, words, tools };
};
