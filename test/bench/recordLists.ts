/** What each kind of record list and search costs in PostgreSQL, in this process: first pages and deep ones. Called by suites/records.ts. */
import type { Db } from '../../shared/platform/db/knex.ts';
import { parseFilterClauses, parseRecordOrder } from '../../shared/records/filters.ts';
import { listStoredRecords } from '../../shared/records/list/page.ts';
import type { RecordListRequest, RecordPosition } from '../../shared/records/list/scan.ts';
import { toStoredListRequest } from '../../shared/records/read.ts';
import { searchStoredRecords } from '../../shared/records/search.ts';
import { cpuOf } from './lists.ts';
import { quantile } from './numbers.ts';
import type { RecordsSite } from './recordsLoad.ts';

export interface RecordCost {
  readonly kind: string;
  readonly answered: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  /** Milliseconds of processor time in the server, if it runs on this machine: other load does not show in it. */
  readonly cpu: number | null;
}

type Asked = {
  readonly kind: string;
  readonly filters?: object;
  readonly q?: string;
  readonly sort?: string;
  readonly search?: true;
};

export const cases: readonly Asked[] = [
  { kind: 'search: an id', q: 'con_00012345', search: true },
  { kind: 'search: the beginning of ids', q: 'con_0001', search: true },
  { kind: 'search: a title', q: 'Ana Lindgren 40000', search: true },
  { kind: 'search: the beginning of many titles', q: 'an', search: true },
  { kind: 'search: a frequent word (10 %)', q: 'lindgren', search: true },
  { kind: 'search: a frequent word of a field (20 %)', q: 'oslo', search: true },
  { kind: 'search: two words (0.1 %)', q: 'oslo okafor ana', search: true },
  { kind: 'search: a seldom word (0.01 %)', q: 'ytterby', search: true },
  { kind: 'search: a number', q: '98602', search: true },
  { kind: 'search: a word that none has', q: 'nowhere', search: true },
  { kind: 'browse: all by title' },
  { kind: 'browse: all by id', sort: '-id' },
  { kind: 'browse: all by time of change', sort: '-updatedAt' },
  { kind: 'sort: a number, down', sort: '-spent' },
  { kind: 'sort: a number, up', sort: 'spent' },
  { kind: 'sort: a text of four values', sort: 'plan' },
  { kind: 'filter: a value of 60 %', filters: { plan: 'Free' } },
  { kind: 'filter: a value of 10 %', filters: { plan: 'Business' } },
  { kind: 'filter: a value of 0.1 %', filters: { plan: 'Legacy' } },
  { kind: 'filter: a value that one has', filters: { email: 'p4711@example.com' } },
  { kind: 'filter: the beginning of a value', filters: { email: { startsWith: 'p4711' } } },
  { kind: 'filter: a number, wide range', filters: { spent: { gt: 500_000 } } },
  { kind: 'filter: a number, narrow range', filters: { spent: { gte: 1_000, lt: 1_500 } } },
  {
    kind: 'filter: two values and a range',
    filters: { plan: ['Team', 'Business'], vip: true, spent: { gt: 500_000 } },
    sort: '-joined',
  },
  { kind: 'filter of 10 %, sorted by a number', filters: { plan: 'Business' }, sort: '-spent' },
  { kind: 'filter of 0.1 %, sorted by a number', filters: { plan: 'Legacy' }, sort: '-spent' },
  { kind: 'word of 10 %, sorted by a number', q: 'lindgren', sort: '-spent' },
  { kind: 'word of 10 % and a value of 10 %', q: 'lindgren', filters: { plan: 'Business' } },
  { kind: 'seldom word and a value of 60 %', q: 'ytterby', filters: { plan: 'Free' } },
];

/** Somewhere in the middle of an order, another place for each run. */
const deep = ({ order: { by } }: RecordListRequest, run: number): RecordPosition => {
  const part = 0.3 + 0.4 * ((run * 0.618) % 1);
  const id = `con_00${String(Math.floor(part * 1_000_000)).padStart(6, '0')}`;
  switch (by.kind) {
    case 'id':
      return [0, null, null, id];
    case 'title':
      return [0, String.fromCharCode(97 + Math.floor(part * 20)), null, id];
    case 'updatedAt':
      return [0, Math.floor(1_600_000_000_000 + part * 150_000_000_000), null, id];
    case 'field':
      return by.field === 'plan'
        ? [0, 0, 'Free', id]
        : [
            0,
            by.field === 'spent'
              ? Math.floor(part * 1_000_000)
              : Math.floor(1_600_000_000_000 + part * 150_000_000_000),
            '',
            id,
          ];
  }
};

type Cpu = () => Promise<number | null>;

const measured = async (
  cpu: Cpu,
  kind: string,
  runs: number,
  work: (run: number) => Promise<number>,
): Promise<RecordCost> => {
  let answered = 0;
  // PostgreSQL plans a statement five times before it may reuse the plan.
  for (let n = 0; n < 6; n++) answered = await work(n);
  const times: number[] = [];
  const before = await cpu();
  for (let n = 0; n < runs; n++) {
    const started = performance.now();
    await work(n);
    times.push(performance.now() - started);
  }
  const after = await cpu();
  const cost = {
    kind,
    answered,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    cpu: before === null || after === null ? null : (after - before) / runs,
  };
  const shown = [cost.p50, cost.p95, cost.cpu].map((value) => (value === null ? '-' : value.toFixed(2)).padStart(9));
  console.error(kind.padEnd(56), String(answered).padStart(5), ...shown);
  return cost;
};

export const requestOf = (
  { env, definition, resource }: RecordsSite,
  { filters = {}, q, sort }: Asked,
): RecordListRequest => {
  const raw = filters as Readonly<Record<string, unknown>>;
  const checked = {
    clauses: parseFilterClauses(resource, raw),
    raw,
    text: q ?? null,
    order: parseRecordOrder(resource, sort),
    sort: sort ?? null,
  };
  return toStoredListRequest(
    { id: env, definition } as Parameters<typeof toStoredListRequest>[0],
    resource,
    checked,
    null,
    50,
  );
};

export const measureRecords = async (db: Db, site: RecordsSite, runs: number): Promise<RecordCost[]> => {
  const cpu = await cpuOf(db);
  const costs: RecordCost[] = [];
  for (const asked of cases) {
    const request = requestOf(site, asked);
    if (asked.search === true) {
      costs.push(
        await measured(
          cpu,
          asked.kind,
          runs,
          async () => (await searchStoredRecords(db, { ...request, text: asked.q ?? '' })).length,
        ),
      );
      continue;
    }
    costs.push(
      await measured(cpu, asked.kind, runs, async () => (await listStoredRecords(db, request)).records.length),
    );
    costs.push(
      await measured(
        cpu,
        `${asked.kind}, deep`,
        runs,
        async (n) => (await listStoredRecords(db, { ...request, after: deep(request, n) })).records.length,
      ),
    );
  }
  return costs;
};
