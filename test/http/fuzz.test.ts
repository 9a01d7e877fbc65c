/**
 * Requests generated from `/openapi.json`, valid and mutated: no 5xx, every answer as the document says, and the process
 * lives. `FUZZ_RUNS` sets how many (1,500 when absent), `FUZZ_SEED` repeats a run.
 */
import { expect } from 'chai';
import fc, { type Arbitrary } from 'fast-check';
import { readDocuments, type Documents, type Operation } from '../support/documented.ts';
import type { Client } from '../support/http.ts';
import { clerkGrants } from '../support/manifest.ts';
import { newWorld, type World } from '../support/world.ts';

type Schema = Readonly<Record<string, unknown>>;

const runs = Number(process.env['FUZZ_RUNS'] ?? 1_500);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2_147_483_647);

/** Texts that have broken something somewhere. */
const nasty = [
  '', ' ', '\u0000', 'a\u0000b', '\ud800', '\udc00\ud800', '%', '%ZZ', "'", '"', '\\', '..', '../..', '__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', '-1', '0', '1e400',
  '9223372036854775808', '\u202e', '\ufeff', '😀', 'ä'.repeat(600), 'a'.repeat(5_000), '\r\nx: y', '${7*7}', '{{item.id}}', '<script>', "'; drop table items; --", 'İ', 'ß', '\u0301', 'open,closed', ',', '*', 'none', 'me',
];
const numbers = [0, -1, 1, 1.5, 200, 201, 2 ** 31, 2 ** 53, -(2 ** 53), 8.64e15, 8.64e15 + 1, 1e300, 1e-300, -0, Date.now() + 1e6];
const garbage: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...nasty, ...numbers, null, true, false),
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'id', 'type', '$ne', 'a'), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
);

describe('requests made from the document', function () {
  this.timeout(Math.max(60_000, runs * 40));
  let world: World;
  let documents: Documents;
  let clients: Client[];
  let ids: readonly string[];
  let bulkIds: readonly string[];
  let words: readonly string[];

  /** Values of a schema; names and ids are mostly ones that are there, as others only ever find nothing. */
  const valid = (schema: Schema): Arbitrary<unknown> => {
    if ('const' in schema) return fc.constant(schema['const']);
    const union = schema['anyOf'];
    if (Array.isArray(union)) return fc.oneof(...(union as Schema[]).map(valid));
    switch (schema['type']) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
      case 'number': {
        const [min, max] = [Number(schema['minimum'] ?? 0), Number(schema['maximum'] ?? Number.MAX_SAFE_INTEGER)];
        return fc.oneof(fc.integer({ min: Math.max(min, -1_000), max: Math.min(max, min + 1_000) }), fc.constantFrom(min, max, Math.min(max, Date.now() + 86_400_000)));
      }
      case 'array':
        return fc.array(valid((schema['items'] ?? {}) as Schema), { minLength: Number(schema['minItems'] ?? 0), maxLength: Math.min(5, Number(schema['maxItems'] ?? 5)) });
      case 'object': {
        const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
        if (properties.length === 0) return fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
        const required = (schema['required'] ?? []) as string[];
        return fc.record(Object.fromEntries(properties.map(([name, inner]) => [name, valid(inner)])), { requiredKeys: required });
      }
      default:
        return text(schema);
    }
  };

  const text = (schema: Schema): Arbitrary<string> => {
    const known = fc.constantFrom(...words, ...ids);
    const any = fc.string({ unit: 'grapheme', minLength: Number(schema['minLength'] ?? 0), maxLength: Math.min(60, Number(schema['maxLength'] ?? 60)) });
    return fc.oneof({ arbitrary: known, weight: 3 }, { arbitrary: any, weight: 1 });
  };

  /** A valid value, or one with something in it replaced, added or left out. */
  const mutated = (schema: Schema): Arbitrary<unknown> =>
    fc.tuple(valid(schema), fc.nat({ max: 9 }), garbage, fc.string({ maxLength: 10 })).map(([value, turn, wrong, name]) => {
      if (turn < 4) return value;
      if (turn === 4 || typeof value !== 'object' || value === null || Array.isArray(value)) return turn > 7 ? value : wrong;
      const entries = Object.entries(value);
      const place = entries[turn % Math.max(1, entries.length)]?.[0] ?? name;
      if (turn === 5) return Object.fromEntries(entries.filter(([key]) => key !== place));
      if (turn === 6) return { ...value, [name]: wrong };
      return { ...value, [place]: wrong };
    });

  const asText = (value: unknown): string => (typeof value === 'string' ? value : Array.isArray(value) ? value.map(asText).join(',') : (JSON.stringify(value) ?? ''));
  const encoded = (value: string): string => encodeURIComponent(value.toWellFormed());

  const pathOf = ({ path }: Operation): Arbitrary<string> => {
    const pool = path.startsWith('/bulk') ? bulkIds : ids;
    const id = fc.oneof({ arbitrary: fc.constantFrom(...pool), weight: 5 }, { arbitrary: fc.constantFrom(...nasty.filter((value) => value !== '' && value !== '..')), weight: 1 });
    const resource = fc.constantFrom('customer', 'customer', 'vault', 'constructor');
    return fc.tuple(id, resource).map(([value, name]) => path.replace('{id}', encoded(value)).replace('{resource}', name).replace('{relation}', 'toString'));
  };

  const queryOf = ({ parameters }: Operation): Arbitrary<string> => {
    const known = parameters.filter((parameter) => parameter.in === 'query');
    const pairs = known.map(({ name, schema }) => fc.option(mutated(name === 'wait' ? { type: 'integer', minimum: 0, maximum: 5 } : schema).map((value) => `${name}=${encoded(asText(value))}`), { freq: 1, nil: '' }));
    const stray = fc.option(fc.constantFrom('x=1', 'limit=1', '__proto__=1', '&&', '=', 'a', '%', 'search=%00', 'limit=1&limit=2'), { freq: 1, nil: '' });
    return fc.tuple(fc.tuple(...pairs), fc.nat({ max: 9 }), stray).map(([given, turn, more]) => [...given, turn === 0 ? more : ''].filter((pair) => pair !== '').join('&'));
  };

  const headersOf = ({ method }: Operation): Arbitrary<Record<string, string>> =>
    fc.record({
      'if-match': fc.constantFrom('"1"', '"2"', '*', 'x', '"x"'),
      'idempotency-key': fc.oneof(fc.uuid(), fc.constantFrom('same', '', 'x'.repeat(256))),
      'x-request-id': fc.constantFrom('trace', '', 'x'.repeat(200)),
      'accept-encoding': fc.constantFrom('gzip', 'br', 'identity', 'x'),
      'content-type': fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain'),
    }, { requiredKeys: [] }).map(({ 'content-type': type, ...rest }) => (method === 'GET' || type === undefined ? rest : { ...rest, 'content-type': type }));

  interface Made {
    readonly operation: Operation;
    readonly path: string;
    readonly body: unknown;
    readonly headers: Readonly<Record<string, string>>;
    readonly client: number;
  }

  const requests = (): Arbitrary<Made> =>
    fc.constantFrom(...documents.operations).chain((operation) =>
      fc.record({
        operation: fc.constant(operation),
        path: fc.tuple(pathOf(operation), queryOf(operation)).map(([path, query]) => (query === '' ? path : `${path}?${query}`)),
        body: operation.body === null ? fc.constant(undefined) : mutated(operation.body.schema),
        headers: fc.oneof({ arbitrary: fc.constant({}), weight: 2 }, { arbitrary: headersOf(operation), weight: 1 }),
        client: fc.nat({ max: clients.length - 1 }),
      }));

  before(async () => {
    world = await newWorld();
    documents = await readDocuments(world.base);
    await world.role('clerk', clerkGrants);
    const person = await world.person('operator');
    clients = [await world.agent('admin'), await world.agent('clerk'), await world.agent('viewer'), await world.agent('admin', { mode: 'readonly' }), await world.appKey(), person];
    const [admin] = clients;
    if (admin === undefined) throw new Error('There is no admin.');
    await world.records('customer', [{ id: 'c1', title: 'Ada' }]);
    const made: string[] = [];
    for (const inbox of ['mail', 'refunds', 'bugs', 'secret']) made.push((await admin.post('/items', { inbox, title: `of ${inbox}`, key: inbox, record: { resource: 'customer', id: 'c1' } })).body.item.id);
    const bulks = [(await admin.post('/bulk', { ids: made, operation: { type: 'tags', add: ['billing'], remove: [] } })).body.bulk.id as string];
    ids = [...made, 'itm_01jd0000000000000000000000', person.id];
    bulkIds = [...bulks, 'blk_01jd0000000000000000000000'];
    words = ['mail', 'refunds', 'bugs', 'secret', 'open', 'waiting', 'closed', 'requested', 'approved', 'billing', 'customer', 'c1', 'none', 'upgrade'];
    await world.settled();
  });
  after(() => world.close());

  it(`${String(runs)} of them, seed ${String(seed)}: no 5xx, and every answer as documented`, async () => {
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(requests(), async ({ operation, path, body, headers, client }) => {
        const caller = clients[client];
        if (caller === undefined) return;
        const reply = await caller.call(operation.method, path, body, { headers });
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
        expect(reply.status, reply.text).to.be.below(500);
        documents.check(operation.method, path, reply);
      }),
      { numRuns: runs, seed },
    );
    // Neither only refusals nor only successes: both sides were reached.
    const share = (from: number): number => [...statuses].filter(([status]) => status >= from && status < from + 100).reduce((sum, [, count]) => sum + count, 0) / runs;
    expect(share(200)).to.be.above(0.1);
    expect(share(400)).to.be.above(0.1);
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
