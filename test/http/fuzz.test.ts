/**
 * Requests generated from `/openapi.json`, valid and mutated, with an app connected that answers well, badly or not at
 * all: no 5xx but what the document has for apps, every answer as documented, and the process lives. `FUZZ_RUNS` sets how
 * many (5,000 when absent), `FUZZ_SEED` repeats a run.
 */
import { expect } from 'chai';
import fc, { type Arbitrary } from 'fast-check';
import { rpcError, type FakeApp, type Handler } from '../support/app.ts';
import { readDocuments, type Documents, type Operation } from '../support/documented.ts';
import type { Client } from '../support/http.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { listTools, type ListedTool } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Upgrades, sign-ins, and what ends with what it needs. */
const hard: ReadonlySet<string> = new Set([
  'open_stream',
  'open_app_link',
  'sign_in',
  'sign_in_fresh',
  'cancel_bulk',
  'retry_run',
  'end_my_session',
  'accept_loosening',
  'refuse_loosening',
]);

const runs = Number(process.env['FUZZ_RUNS'] ?? 5_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2_147_483_647);

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

/** Texts that have broken something somewhere. */
const nasty = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00\ud800',
  '%',
  '%ZZ',
  "'",
  '"',
  '\\',
  '..',
  '../..',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e400',
  '9223372036854775808',
  '\u202e',
  '\ufeff',
  '😀',
  'ä'.repeat(600),
  'a'.repeat(5_000),
  '\r\nx: y',
  '${7*7}',
  '{{item.id}}',
  '<script>',
  "'; drop table items; --",
  'İ',
  'ß',
  '\u0301',
  'open,closed',
  ',',
  '*',
  'none',
  'me',
];
const numbers = [
  0,
  -1,
  1,
  1.5,
  200,
  201,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  8.64e15,
  8.64e15 + 1,
  1e300,
  1e-300,
  -0,
  Date.now() + 1e6,
];
const garbage: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...nasty, ...numbers, null, true, false),
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'id', 'type', '$ne', 'a'), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 3,
  }),
);

describe('requests made from the document', function () {
  this.timeout(180_000 + runs * 150);
  let world: World;
  let documents: Documents;
  let clients: Client[];
  let ids: readonly string[];
  let pools: Readonly<Record<string, readonly string[]>>;
  let app: FakeApp;
  /** What members and parameters of a name usually hold, or nearly nothing would be found, allowed and done. */
  let usual: Readonly<Record<string, readonly unknown[]>> = {};
  let words: readonly string[];
  let tools: readonly ListedTool[];

  /** Values of a schema; names and ids are mostly ones that are there, as others only ever find nothing. */
  const valid = (schema: Schema, named = ''): Arbitrary<unknown> => {
    const known = usual[named];
    if (known !== undefined)
      return fc.oneof(
        { arbitrary: fc.constantFrom(...known), weight: 9 },
        { arbitrary: shaped(schema, named), weight: 1 },
      );
    return shaped(schema, named);
  };

  const shaped = (schema: Schema, named: string): Arbitrary<unknown> => {
    if ('const' in schema) return fc.constant(schema['const']);
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
    const union = schema['anyOf'];
    if (Array.isArray(union)) return fc.oneof(...(union as Schema[]).map((inner) => valid(inner)));
    if (Array.isArray(schema['type']))
      return fc.oneof(...(schema['type'] as string[]).map((type) => shaped({ ...schema, type }, named)));
    switch (schema['type']) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
      case 'number': {
        const [min, max] = [Number(schema['minimum'] ?? 0), Number(schema['maximum'] ?? Number.MAX_SAFE_INTEGER)];
        return fc.oneof(
          fc.integer({ min: Math.max(min, -1_000), max: Math.min(max, min + 1_000) }),
          fc.constantFrom(min, max, Math.min(max, Date.now() + 86_400_000)),
        );
      }
      case 'array':
        return fc.array(valid((schema['items'] ?? {}) as Schema, `${named}[]`), {
          minLength: Number(schema['minItems'] ?? 0),
          maxLength: Math.min(5, Number(schema['maxItems'] ?? 5)),
        });
      case 'object': {
        const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
        if (properties.length === 0)
          return fc.oneof(
            { arbitrary: fc.constant({}), weight: 2 },
            {
              arbitrary: fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), fc.jsonValue({ maxDepth: 2 }), {
                maxKeys: 4,
              }),
              weight: 1,
            },
          );
        const required = (schema['required'] ?? []) as string[];
        const members = properties.map(([name, inner]) => [name, valid(inner, name)] as const);
        const bare = members.filter(([name]) => required.includes(name));
        return fc.oneof(
          fc.record(Object.fromEntries(members), { requiredKeys: required }),
          fc.record(Object.fromEntries(bare.length === 0 ? members : bare)),
        );
      }
      default:
        return text(schema);
    }
  };

  const text = (schema: Schema): Arbitrary<string> => {
    const known = fc.constantFrom(...words, ...ids);
    const any = fc.string({
      unit: 'grapheme',
      minLength: Number(schema['minLength'] ?? 0),
      maxLength: Math.min(60, Number(schema['maxLength'] ?? 60)),
    });
    return fc.oneof({ arbitrary: known, weight: 3 }, { arbitrary: any, weight: 1 });
  };

  /** A valid value, or one with something in it replaced, added or left out. */
  const mutated = (schema: Schema, named = ''): Arbitrary<unknown> =>
    fc
      .tuple(valid(schema, named), fc.nat({ max: 9 }), garbage, fc.string({ maxLength: 10 }))
      .map(([value, turn, wrong, name]) => {
        if (turn < 4) return value;
        if (turn === 4 || typeof value !== 'object' || value === null || Array.isArray(value))
          return turn > 7 ? value : wrong;
        const entries = Object.entries(value);
        const place = entries[turn % Math.max(1, entries.length)]?.[0] ?? name;
        if (turn === 5) return Object.fromEntries(entries.filter(([key]) => key !== place));
        if (turn === 6) return { ...value, [name]: wrong };
        return { ...value, [place]: wrong };
      });

  const asText = (value: unknown): string =>
    typeof value === 'string'
      ? value
      : Array.isArray(value)
        ? value.map(asText).join(',')
        : (JSON.stringify(value) ?? '');
  const encoded = (value: string): string => encodeURIComponent(value.toWellFormed());

  /** Values of a path's parameter: mostly what is there. */
  const poolOf = (path: string, name: string): readonly string[] =>
    (name === 'id' ? (pools[path.split('/')[2] ?? ''] ?? pools[path.split('/')[1] ?? '']) : pools[name]) ?? ids;
  const pathOf = ({ path }: Operation): Arbitrary<string> => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const wrong = nasty.filter((value) => value !== '' && value !== '..');
    const values = names.map((name) =>
      fc.oneof(
        { arbitrary: fc.constantFrom(...poolOf(path, name)), weight: 7 },
        { arbitrary: fc.constantFrom(...wrong), weight: 1 },
      ),
    );
    return fc
      .tuple(...values)
      .map((given) =>
        given.reduce((filled, value, i) => filled.replace(`{${names[i] ?? ''}}`, () => encoded(value)), path),
      );
  };

  /** Parameters that contain JSON, which the schema describes only as strings. */
  const json =
    (values: Arbitrary<unknown>): ((schema: Schema) => Arbitrary<unknown>) =>
    (schema) =>
      fc.oneof(
        { arbitrary: values.map((value) => JSON.stringify(value)), weight: 3 },
        { arbitrary: mutated(schema), weight: 1 },
      );
  const operand = fc.oneof(fc.constantFrom<unknown>('x', 'ana@example.com', 3, null, true, ['a', 'b'], [1]), garbage);
  const jsons: Readonly<Record<string, (schema: Schema) => Arbitrary<unknown>>> = {
    filters: json(
      fc.dictionary(
        fc.constantFrom('email', 'seats', 'customer', 'id', 'nosuch'),
        fc.oneof(
          operand,
          fc.dictionary(
            fc.constantFrom('eq', 'ne', 'in', 'nin', 'lt', 'gte', 'contains', 'startsWith', 'exists', 'regex'),
            operand,
            { maxKeys: 2 },
          ),
        ),
        { maxKeys: 2 },
      ),
    ),
    params: json(
      fc.dictionary(
        fc.constantFrom('q', 'q', 'q', 'nosuch'),
        fc.constantFrom<unknown>('c1', 'of mail', 'open', 'https://example.com', ...nasty, 1, null),
        { maxKeys: 1 },
      ),
    ),
  };

  const queryOf = ({ parameters }: Operation): Arbitrary<string> => {
    const known = parameters.filter((parameter) => parameter.in === 'query');
    const pairs = known.map(({ name, schema, required }) => {
      const pair = (jsons[name] ?? ((given: Schema) => mutated(given, name)))(
        name === 'wait' ? { type: 'integer', minimum: 0, maximum: 5 } : schema,
      ).map((value) => `${name}=${encoded(asText(value))}`);
      return fc.option(pair, { freq: required === true ? 9 : 1, nil: '' });
    });
    const stray = fc.option(
      fc.constantFrom('x=1', 'limit=1', '__proto__=1', '&&', '=', 'a', '%', 'search=%00', 'limit=1&limit=2'),
      { freq: 1, nil: '' },
    );
    return fc
      .tuple(fc.tuple(...pairs), fc.nat({ max: 9 }), stray, fc.nat({ max: 1 }))
      .map(([given, turn, more, all]) =>
        [...given.filter((_, place) => all === 1 || known[place]?.required === true), turn === 0 ? more : '']
          .filter((pair) => pair !== '')
          .join('&'),
      );
  };

  const headersOf = ({ method }: Operation): Arbitrary<Record<string, string>> =>
    fc
      .record(
        {
          'if-match': fc.constantFrom('"1"', '"2"', '*', 'x', '"x"'),
          'idempotency-key': fc.oneof(fc.uuid(), fc.constantFrom('same', '', 'x'.repeat(256))),
          'x-request-id': fc.constantFrom('trace', '', 'x'.repeat(200)),
          'accept-encoding': fc.constantFrom('gzip', 'br', 'identity', 'x'),
          'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain'),
        },
        { requiredKeys: [] },
      )
      .map(({ 'content-type': type, ...rest }) =>
        method === 'GET' || type === undefined ? rest : { ...rest, 'content-type': type },
      );

  interface Made {
    readonly operation: Operation;
    readonly path: string;
    readonly body: unknown;
    readonly headers: Readonly<Record<string, string>>;
    readonly client: number;
  }

  /** Mostly a caller with the right, for records the app's key; only the one made for that signs out. */
  const callers = ({ path }: Operation): Arbitrary<number> => {
    const boss = clients.length - 2;
    if (path.startsWith('/sign-')) return fc.constant(clients.length - 1);
    const any = fc.nat({ max: boss });
    const key = boss - 3;
    if (path.endsWith('/records')) return fc.oneof(fc.constant(key), any);
    return path.startsWith('/settings/') || /\/(approve|reject)$/.test(path)
      ? fc.oneof({ arbitrary: fc.constant(boss), weight: 9 }, { arbitrary: any, weight: 1 })
      : any;
  };

  /** Calls of tools, with arguments made from their own schemas; any other message now and then. */
  const messages = (schema: Schema): Arbitrary<unknown> => {
    const call = fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
      const kind = ['bulk', 'run', 'approval', 'record'].find((each) => name.includes(each)) ?? 'items';
      const there = fc.option(
        fc.constantFrom(...(pools[kind] ?? pools[`${kind}s`] ?? ids)).map((id) => ({ id })),
        { freq: 4, nil: {} },
      );
      return fc
        .tuple(
          mutated(inputSchema),
          Object.hasOwn((inputSchema['properties'] ?? {}) as object, 'id') ? there : fc.constant({}),
        )
        .map(([given, known]) => ({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name,
            arguments: typeof given === 'object' && !Array.isArray(given) ? { ...given, ...known } : given,
          },
        }));
    });
    const other = fc
      .constantFrom('tools/list', 'initialize', 'ping', 'server/discover', 'notifications/cancelled')
      .map((method) => ({ jsonrpc: '2.0', id: 'a', method, params: { protocolVersion: '2025-11-25' } }));
    return fc.oneof(
      { arbitrary: call, weight: 8 },
      { arbitrary: other, weight: 1 },
      { arbitrary: mutated(schema), weight: 1 },
    );
  };
  const bodyOf = ({ id, body }: Operation): Arbitrary<unknown> =>
    body === null ? fc.constant(undefined) : id === 'send_mcp_message' ? messages(body.schema) : mutated(body.schema);

  const requests = (): Arbitrary<Made> =>
    fc.constantFrom(...documents.operations).chain((operation) =>
      fc.record({
        operation: fc.constant(operation),
        path: fc
          .tuple(pathOf(operation), queryOf(operation))
          .map(([path, query]) => (query === '' ? path : `${path}?${query}`)),
        body: bodyOf(operation),
        headers: fc.oneof({ arbitrary: fc.constant({}), weight: 2 }, { arbitrary: headersOf(operation), weight: 1 }),
        client: callers(operation),
      }),
    );

  /** Returns a valid answer, fails, or returns an invalid one; now and then too late. */
  let turn = 0;
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
    { type: 'items', items: ids.map((id) => ({ id })) },
    { type: 'record', record: { resource: 'vault', id: 'x', title: 'x' } },
    { type: 'actions', actions: [{ action: 'greet', record: 'c1' }] },
    { type: 'nosuch' },
  ];
  const payments = (): object => ({
    records: [{ id: 'p1', title: 'Payment', fields: { customer: 'c1' } }],
    cursor: null,
  });
  const handlers: Readonly<Record<string, Handler>> = {
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

  before(async () => {
    world = await newWorld({ manifest });
    documents = await readDocuments(world.base);
    await world.role('clerk', [
      ...clerkGrants,
      { on: 'resource:payment', can: ['see'] },
      { on: 'action:*', can: ['run'] },
      { on: 'flag:checkout', can: ['*'] },
      { on: 'approvals', can: ['*'] },
    ]);
    const person = await world.person('operator');
    const boss = await world.person('admin', 'Boss', { fresh: true });
    clients = [
      await world.agent('admin'),
      await world.agent('clerk'),
      await world.agent('viewer'),
      await world.agent('admin', { mode: 'readonly' }),
      await world.appKey(),
      person,
      await world.agent('operator', { mode: 'supervised' }),
      boss,
      await world.person('viewer', 'Leaving'),
    ];
    const [admin] = clients;
    if (admin === undefined) throw new Error('There is no admin.');
    await world.records('customer', [
      { id: 'c1', title: 'Ada', fields: { email: 'ana@example.com', seats: 3 } },
      { id: 'c2', title: 'Bo', fields: { parent: 'c1' } },
    ]);
    app = await world.app(handlers);
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
    pools = {
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
    usual = {
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
    words = [
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
    tools = await listTools(admin);
    await world.settled();
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  it(`${String(runs)} of them, seed ${String(seed)}: no 5xx, and every answer as documented`, async () => {
    const statuses = new Map<number, number>();
    const reached = new Set<string>();
    await fc.assert(
      fc.asyncProperty(requests(), async ({ operation, path, body, headers, client }) => {
        const caller = clients[client];
        if (caller === undefined) return;
        const reply = await caller.call(operation.method, path, body, { headers });
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        // What an app answered badly or late is its own fault, and said to be.
        if (![502, 504].includes(reply.status))
          expect(
            reply.status,
            `${operation.method} ${path} ${JSON.stringify(body)?.slice(0, 500) ?? ''} ${reply.text}`,
          ).to.be.below(500);
        reached.add(`${operation.id} ${String(Math.floor(reply.status / 100))}`);
        documents.check(operation.method, path, reply);
      }),
      { numRuns: runs, seed },
    );
    // Neither only refusals nor only successes: both sides were reached.
    const share = (from: number): number =>
      [...statuses]
        .filter(([status]) => status >= from && status < from + 100)
        .reduce((sum, [, count]) => sum + count, 0) / runs;
    expect(share(200)).to.be.above(0.1);
    expect(share(400)).to.be.above(0.1);
    // Most endpoints did what they are for at least once, but for those that need what no generator finds; which ones is chance.
    const never = documents.operations.map(({ id }) => id).filter((id) => !reached.has(`${id} 2`) && !hard.has(id));
    if (runs >= 5_000)
      expect(never.length, `no request was ever right for ${never.join(', ')}`).to.be.below(
        documents.operations.length / 6,
      );
  });

  it('leaves a server that serves', async () => {
    for (const client of clients.slice(0, 3)) {
      const reply = await client.get('/items?count=1');
      documents.check('GET', '/items', reply);
      expect(reply.status).to.equal(200);
    }
    expect((await fetch(new URL('/ready', world.base))).status).to.equal(200);
    expect(({} as Record<string, unknown>)['admin']).to.equal(undefined);
  });
});
