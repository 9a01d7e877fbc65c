/** What record lists return: compared with a naive filter and sort in JavaScript, page by page, on real PostgreSQL. */
import { expect } from 'chai';
import fc from 'fast-check';
import { appAccess } from '../../shared/accounts/access/access.ts';
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { toEnvironment } from '../../shared/app/manifest/definition.ts';
import { parseManifest } from '../../shared/app/manifest/readManifest.ts';
import type { Deps } from '../../shared/deps.ts';
import { openDb, type Db } from '../../shared/platform/db/knex.ts';
import { alternativesOf, foldCase, queryWords, titleWords } from '../../shared/platform/words/searchWords.ts';
import { filterOps, parseFilterClauses, parseRecordOrder, type FilterClause } from '../../shared/records/filters.ts';
import { listStoredRecords } from '../../shared/records/list/page.ts';
import {
  defaultRecordScanLimits,
  type RecordListRequest,
  type RecordPosition,
  type RecordScanLimits,
} from '../../shared/records/list/scan.ts';
import { toStoredListRequest } from '../../shared/records/read.ts';
import type { PushedRecord } from '../../shared/records/recordProblems.ts';
import { reindexRecords } from '../../shared/records/reindex.ts';
import { searchStoredRecords } from '../../shared/records/search.ts';
import { deleteRecords, putRecords } from '../../shared/records/write.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';

const field = (name: string, type: string | undefined, more: object = {}): object => ({
  name,
  ...(type === undefined ? {} : { type }),
  filter: true,
  sort: true,
  ...more,
});
const manifestOf = (fields: readonly object[]) =>
  parseManifest({
    resources: [
      { name: 'thing', source: 'stored', fields },
      { name: 'other', source: 'stored', fields },
    ],
  });
const fields = [
  field('name', 'text', { search: true }),
  field('amount', 'money'),
  field('at', 'time'),
  field('vip', 'boolean'),
  field('any', undefined),
  field('many', 'text', { sort: false }),
];
const words = [
  'payment',
  'Pay',
  'INV-2024',
  '100%',
  '%',
  '\\',
  "'",
  '"',
  '&',
  ':*',
  'a|b',
  'Ärger',
  'cafe\u0301',
  'ΟΔΟΣ',
  '東京タワーの注文',
  '😀',
  '\u0001',
  'x\u001ey',
];

const textArb = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(' ').replaceAll('\u0001', '1').replaceAll('\u001e', '2'));
const rawText = fc.array(fc.constantFrom(...words), { minLength: 0, maxLength: 2 }).map((parts) => parts.join(' '));
const number = fc.constantFrom(-1.5, 0, 1, 2, 10, 1e-7, 9007199254740991);
const fieldsArb = fc.record(
  {
    name: rawText,
    amount: number,
    at: fc.constantFrom(1, 2, 1_795_000_000_000),
    vip: fc.boolean(),
    any: fc.oneof(number, rawText, fc.boolean(), fc.constant(null)),
    many: fc.array(rawText, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const recordArb: fc.Arbitrary<PushedRecord> = fc.record({
  id: fc.oneof(
    fc.integer({ min: 1, max: 400 }).map((n) => `c_${String(n)}`),
    fc.integer({ min: 1, max: 40 }).map((n) => `Pay.ord-${String(n)}`),
    fc.constantFrom('a/b', '%', 'ä ö', "it's", 'C_1'),
  ),
  title: textArb,
  subtitle: fc.option(textArb, { nil: null }),
  fields: fieldsArb,
  updatedAt: fc.constantFrom(5, 6, 7),
});

const scalarOf: Readonly<Record<string, fc.Arbitrary<string | number | boolean>>> = {
  name: rawText,
  amount: number,
  at: number,
  vip: fc.boolean(),
  any: fc.oneof(number, rawText, fc.boolean()),
  many: rawText,
};
const filterArb = fc.constantFrom('name', 'amount', 'at', 'vip', 'any', 'many').chain((name) => {
  const scalar = scalarOf[name] ?? number;
  return fc
    .constantFrom(...filterOps)
    .chain((op) =>
      (op === 'exists'
        ? fc.boolean()
        : op === 'in' || op === 'nin'
          ? fc.array(scalar, { minLength: 1, maxLength: 3 })
          : scalar
      ).map((value) => ({ [name]: { [op]: value } })),
    );
});
const sortArb = fc
  .constantFrom('title', 'updatedAt', 'id', 'name', 'amount', 'at', 'vip', 'any')
  .chain((sort) => fc.boolean().map((down) => (down ? `-${sort}` : sort)));

const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const compare = (a: unknown, b: unknown): number =>
  typeof a === 'string' && typeof b === 'string' ? bytes(a, b) : Number(a) - Number(b);

/** The contract's ops, written the simple way; of an array any member may fit. */
const holds = ({ op, values }: FilterClause, value: unknown): boolean => {
  const members = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const [wanted] = values;
  const like = members.filter((member) => typeof member === typeof wanted);
  switch (op) {
    case 'eq':
    case 'in':
      return members.some((member) => values.includes(member as string));
    case 'ne':
    case 'nin':
      return !members.some((member) => values.includes(member as string));
    case 'lt':
      return like.some((member) => compare(member, wanted) < 0);
    case 'lte':
      return like.some((member) => compare(member, wanted) <= 0);
    case 'gt':
      return like.some((member) => compare(member, wanted) > 0);
    case 'gte':
      return like.some((member) => compare(member, wanted) >= 0);
    case 'contains':
      return like.some((member) => String(member).includes(String(wanted)));
    case 'startsWith':
      return like.some((member) => String(member).startsWith(String(wanted)));
    case 'exists':
      return members.some((member) => member !== null) === wanted;
  }
};

const matches = (record: PushedRecord, text: string): boolean => {
  const name = record.fields?.['name'];
  const has = [record.id, record.title, record.subtitle ?? '', typeof name === 'string' ? name : ''].flatMap(
    titleWords,
  );
  return (
    foldCase(record.id).startsWith(foldCase(text)) ||
    queryWords(text).every((part) => alternativesOf(part).some((word) => has.some((known) => known.startsWith(word))))
  );
};

type SortValue = readonly [absent: number, kind: number, value: string | number];
const sortValue = (record: PushedRecord, sort: string): SortValue => {
  if (sort === 'title') return [0, 0, foldCase(record.title)];
  if (sort === 'updatedAt') return [0, 0, record.updatedAt ?? 0];
  if (sort === 'id') return [0, 0, ''];
  const value = record.fields?.[sort];
  if (value === undefined || value === null) return [1, 0, ''];
  return typeof value === 'string' ? [0, 1, value] : [0, 0, Number(value)];
};

const ordered = (records: readonly PushedRecord[], sort: string): PushedRecord[] => {
  const name = sort.replace('-', '');
  const sign = sort.startsWith('-') ? -1 : 1;
  return [...records].sort((a, b) => {
    const [x, y] = [sortValue(a, name), sortValue(b, name)];
    return x[0] - y[0] || sign * (x[1] - y[1] || compare(x[2], y[2]) || bytes(a.id, b.id));
  });
};

const paces: readonly RecordScanLimits[] = [
  defaultRecordScanLimits,
  // Reads on in tiny steps, and gathers as soon as it can, and gathers nothing.
  { ...defaultRecordScanLimits, strides: [3, 5, 7, 9], nearby: 1 },
  { ...defaultRecordScanLimits, strides: [2, 3, 4, 5], nearby: 0, sampleRows: 7 },
  { ...defaultRecordScanLimits, strides: [2, 3, 4, 50], nearby: 0, gatherMost: 2, rangeMost: 1 },
];

describe('listing stored records', () => {
  let database: TestDatabase;
  let db: Db;
  const environmentOf = (declared: readonly object[]) =>
    toEnvironment({
      id: 1,
      name: 'demo',
      epoch: 1,
      seal_key: Buffer.alloc(32),
      closed: false,
      manifest: manifestOf(declared),
      definition: null,
      rules: null,
    });
  const env = environmentOf(fields);
  const deps = (): Deps => ({ db, clock: { now: () => 1 } }) as unknown as Deps;
  const callerOf = (environment: typeof env): Caller => ({
    env: environment,
    principal: {
      type: 'app',
      id: 'key_1',
      name: 'app',
      mode: 'normal',
      role: null,
      access: appAccess,
      environments: ['*'],
    },
    requestId: null,
    address: null,
  });
  const requestOf = (filters: object, text: string | null, sort: string, environment = env): RecordListRequest => {
    const resource = environment.definition.resources.get('thing');
    if (resource === undefined) throw new Error('There is no thing.');
    const raw = filters as Record<string, unknown>;
    return toStoredListRequest(
      environment,
      resource,
      { clauses: parseFilterClauses(resource, raw), raw, text, order: parseRecordOrder(resource, sort), sort },
      null,
      50,
    );
  };
  const allIds = async (request: RecordListRequest, pace: RecordScanLimits, limit: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let after: RecordPosition | null = null; ;) {
      const page = await listStoredRecords(db, { ...request, after, limit }, pace);
      ids.push(...page.records.map(({ id }) => id));
      if (page.next === null) return ids;
      after = JSON.parse(JSON.stringify(page.next)) as RecordPosition;
    }
  };

  before(async () => {
    database = await newDatabase();
    db = openDb({ url: database.ownerUrl, poolSize: 4, applicationName: 'test' });
    await db.raw(
      "insert into environments (id, name, seal_key, created_at) overriding system value values (1, 'demo', '', 0)",
    );
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });
  beforeEach(() => db.raw('truncate records, record_keys'));

  it('answers what a naive filter and sort would, page by page, whichever way it reads', async () => {
    const query = fc.tuple(
      fc.array(filterArb, { maxLength: 2 }).map((parts) => Object.assign({}, ...parts) as object),
      fc.option(fc.oneof(textArb, fc.constantFrom('7', '11', 'ORD', 'c_1', '_1', 'ord-2', 'pay 3'))),
      sortArb,
      fc.nat(paces.length - 1),
      fc.integer({ min: 1, max: 7 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(recordArb, { selector: ({ id }) => id, minLength: 5, maxLength: 40 }),
        fc.array(query, { minLength: 8, maxLength: 8 }),
        async (records, queries) => {
          await db.raw('truncate records, record_keys');
          await putRecords(deps(), callerOf(env), 'thing', records);
          await putRecords(deps(), callerOf(env), 'other', records);
          for (const [filters, text, sort, pace, limit] of queries) {
            let request: RecordListRequest;
            try {
              request = requestOf(filters, text, sort);
            } catch {
              continue;
            }
            const fitting = records.filter(
              (record) =>
                request.clauses.every((clause) => holds(clause, record.fields?.[clause.field])) &&
                (text === null || matches(record, text)),
            );
            const wanted = ordered(fitting, sort).map(({ id }) => id);
            expect(
              await allIds(request, paces[pace] ?? defaultRecordScanLimits, limit),
              JSON.stringify([filters, text, sort, pace, limit]),
            ).to.deep.equal(wanted);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('lists a record under its new values after it was stored again, by many at once too, and not after it was deleted', async () => {
    const put = (amount: number): Promise<number> =>
      putRecords(
        deps(),
        callerOf(env),
        'thing',
        ['a', 'b', 'c'].map((id) => ({ id, title: `${id} ${String(amount)}`, fields: { amount } })),
      );
    await Promise.all(Array.from({ length: 12 }, (_, n) => put(n)));
    const [last] = await allIds(requestOf({}, null, 'amount'), defaultRecordScanLimits, 50).then(async (ids) => {
      expect(ids).to.deep.equal(['a', 'b', 'c']);
      return (await listStoredRecords(db, requestOf({}, null, 'amount'))).records;
    });
    const { amount } = JSON.parse(last?.fields ?? '{}') as { amount: number };
    expect(await allIds(requestOf({ amount }, null, '-amount'), defaultRecordScanLimits, 50)).to.deep.equal([
      'c',
      'b',
      'a',
    ]);
    expect(
      await allIds(requestOf({ amount: { gt: amount } }, null, 'title'), defaultRecordScanLimits, 50),
    ).to.deep.equal([]);
    expect(await deleteRecords(deps(), callerOf(env), 'thing', ['b', 'nobody'])).to.equal(1);
    expect(await allIds(requestOf({}, null, 'amount'), defaultRecordScanLimits, 50)).to.deep.equal(['a', 'c']);
  });

  it('puts the id before the title, the title before what begins with it, and that before the others', async () => {
    const titles = ['zz anna', 'Anna', 'anna berg', 'annabel', 'Berg', 'anna'];
    await putRecords(deps(), callerOf(env), 'thing', [
      { id: 'anna', title: 'Zoe' },
      ...titles.map((title, n) => ({ id: `t${String(n)}`, title })),
      { id: 'x', title: 'Q', subtitle: 'for Anna' },
    ]);
    const found = await searchStoredRecords(db, { env: 1, resource: 'thing', text: 'anna', limit: 50 });
    expect(found.map(({ id }) => id)).to.deep.equal(['anna', 't1', 't5', 't2', 't3', 'x', 't0']);
    expect(
      (await searchStoredRecords(db, { env: 1, resource: 'thing', text: 'anna', limit: 2 })).map(({ id }) => id),
    ).to.deep.equal(['anna', 't1']);
  });

  it('finds records under a declaration that is newer than they are once they were looked through', async () => {
    const before = environmentOf([{ name: 'name' }]);
    await putRecords(deps(), callerOf(before), 'thing', [
      { id: 'a', title: 'A', fields: { name: 'Berg', amount: 2 } },
      { id: 'b', title: 'B', fields: { amount: 1 } },
    ]);
    expect(await reindexRecords(db, before)).to.equal(0);
    expect(await reindexRecords(db, env)).to.equal(2);
    expect(await reindexRecords(db, env)).to.equal(0);
    expect(await allIds(requestOf({}, null, 'amount'), defaultRecordScanLimits, 50)).to.deep.equal(['b', 'a']);
    expect(await allIds(requestOf({}, 'berg', 'title'), defaultRecordScanLimits, 50)).to.deep.equal(['a']);
  });

  it('finds words inside ids in any case, also of records that an older release has written, and writes these once', async () => {
    const find = async (text: string): Promise<string[]> =>
      (await searchStoredRecords(db, { env: 1, resource: 'thing', text, limit: 50 })).map(({ id }) => id);
    const ids = ['ord_77', 'ORD-771', 'x.ord/8', 'inv_5'];
    await putRecords(
      deps(),
      callerOf(env),
      'thing',
      ids.map((id) => ({ id, title: 'Paper' })),
    );
    expect(await reindexRecords(db, env)).to.equal(0);
    // As the older release writes them: without the words of the id, with a stamp below those of this one.
    await db.raw(
      `update records set stamp = stamp - 281474976710656,
         terms = (select array_to_tsvector(array_agg(t)) from unnest(tsvector_to_array(terms)) t where t ~ '(i[^ ]*|wpaper)$')`,
    );
    expect(await find('77')).to.deep.equal([]);
    expect(await reindexRecords(db, env)).to.equal(4);
    expect(await reindexRecords(db, env)).to.equal(0);
    expect(await find('77')).to.have.members(['ord_77', 'ORD-771']);
    expect(await find('Ord')).to.have.members(['ord_77', 'ORD-771', 'x.ord/8']);
    expect(await find('771 paper')).to.deep.equal(['ORD-771']);
    expect(await find('ord/')).to.deep.equal([]);
    expect(await find('x.ORD/')).to.deep.equal(['x.ord/8']);
    expect(await allIds(requestOf({}, '5', 'id'), defaultRecordScanLimits, 50)).to.deep.equal(['inv_5']);
  });

  it('leaves alone what is stored again as it is', async () => {
    const record = { id: 'a', title: 'A', fields: { amount: 2 } };
    await putRecords(deps(), callerOf(env), 'thing', [record]);
    const look = async (): Promise<unknown> =>
      ((await db.raw('select xmin::text, (select count(*) from events) as n from records')) as { rows: unknown[] })
        .rows;
    const stored = await look();
    expect(await putRecords(deps(), callerOf(env), 'thing', [record])).to.equal(1);
    expect(await look()).to.deep.equal(stored);
  });
});
