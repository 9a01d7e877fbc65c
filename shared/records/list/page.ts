/**
 * One page of stored records in any order, under any filters: read on in the order's stream while that soon finds what
 * fits, else gathered by the rarest terms or range and sorted. Called by read.ts, related.ts and search.ts.
 */
import type { Db, Tx } from '../../db/knex.ts';
import { row, rows, type Value } from '../../db/sql.ts';
import { valuesOf, type Named } from '../../items/list/sql.ts';
import { pathOf, type Clause, type Order } from '../filters.ts';
import type { FullRecord } from '../queries.ts';
import { termQueries } from '../terms.ts';
import { countRange, gatherRange, gatherTerms, probe, sample, type Shape, type StreamName } from './statements.ts';

/** Where a page ended: whether among records without the field, two keys, and the id. */
export type Place = readonly [absent: number, key1: string | number | null, key2: string | null, id: string];

export interface ListRequest {
  readonly env: number;
  readonly resource: string;
  readonly clauses: readonly Clause[];
  /** Words or the beginning of an id; null: none. */
  readonly text: string | null;
  readonly order: Order;
  readonly after: Place | null;
  readonly limit: number;
  /** Fields whose values are among the terms. */
  readonly equal: readonly string[];
  /** Numeric fields that have keys. */
  readonly ranged: readonly string[];
}

/** By which steps a list is read; tests use small ones. Each number of rows is a statement of its own. */
export interface Pace {
  /** Rows of one step; the last ones are only reached by what is rare and has no index. */
  readonly strides: readonly [number, number, number, number];
  /** Up to so many rows reading on is about as quick as gathering. */
  readonly nearby: number;
  /** More are not sorted at once: by terms, and by a range of keys. */
  readonly gatherMost: number;
  readonly rangeMost: number;
  /** Rows of which the shares of terms are learnt. */
  readonly sampleRows: number;
}

export const usualPace: Pace = { strides: [256, 2_048, 16_384, 131_072], nearby: 8_192, gatherMost: 20_000, rangeMost: 5_000, sampleRows: 1_000 };

const partsMax = 4;

interface Found extends FullRecord {
  readonly k1: string | number | null;
  readonly k2: string | null;
}
type Edge = readonly [read: number, fitting: number, id: string | null, k1: string | number | null, k2: string | null];

interface Reading {
  readonly db: Db | Tx;
  readonly request: ListRequest;
  readonly stream: StreamName;
  readonly pace: Pace;
  readonly values: Readonly<Record<string, Value>>;
}

const ask = <R>({ db, values }: Reading, statement: Named, more: Readonly<Record<string, Value>>): Promise<R[]> => rows<R>(db, statement.prepared, valuesOf(statement, { ...values, ...more }));

const placed = (place: Place | null): Record<string, Value> => (place === null ? {} : { key1: place[1], key2: place[2], id: place[3] });

const shapeOf = ({ stream, request }: Reading, place: Place | null): Shape => ({ stream, descending: request.order.descending, behind: place !== null });

/** The tsqueries that the request can be narrowed by. */
const partsOf = ({ env, resource, clauses, text, equal }: ListRequest): string[] => {
  const terms = termQueries(env, resource);
  const ofClauses = clauses.filter(({ field }) => equal.includes(field)).flatMap(({ field, op, values }) => {
    if (op === 'eq' || op === 'in') return [terms.equals(field, values)];
    if (op === 'startsWith' && values[0] !== '') return [terms.startsWith(field, String(values[0]))];
    return op === 'exists' && values[0] === true ? [terms.has(field)] : [];
  });
  return [...(text === null ? [] : [terms.matches(text)]), ...ofClauses].slice(0, partsMax);
};

interface Range {
  readonly field: string;
  readonly least: number;
  readonly most: number;
}

/** Bounds of the numeric fields that have keys; the path compares once more. */
const rangesOf = ({ clauses, ranged }: ListRequest): Range[] =>
  ranged.flatMap((field) => {
    const own = clauses.filter((clause) => clause.field === field && typeof clause.values[0] === 'number');
    const bounds = (ops: readonly string[]): number[] => own.filter(({ op }) => ops.includes(op)).map(({ values }) => Number(values[0]));
    const [above, below] = [bounds(['gt', 'gte', 'eq']), bounds(['lt', 'lte', 'eq'])];
    if (above.length + below.length === 0) return [];
    return [{ field, least: Math.max(-Number.MAX_VALUE, ...above), most: Math.min(Number.MAX_VALUE, ...below) }];
  });

interface Sample {
  readonly n: number;
  readonly total: number;
  readonly t1: number;
  readonly t2: number;
  readonly t3: number;
  readonly t4: number;
}

/**
 * The tsquery to gather by: of the parts that few records have, or of all when few have these together; null: reading on
 * costs less. `forced`: it was read on already, and that didn't find enough.
 */
const rareTerms = async (reading: Reading, wanted: number, forced: boolean): Promise<string | null> => {
  const { sampleRows, gatherMost } = reading.pace;
  const parts = partsOf(reading.request);
  const all = parts.join(' & ');
  if (parts.length === 0) return null;
  const asked = [...parts.slice(0, partsMax - 1), all];
  const [found] = await ask<Sample>(reading, sample(sampleRows), Object.fromEntries(asked.map((part, i) => [`term${String(i + 1)}`, part])));
  if (found === undefined) return null;
  const shares = [found.t1, found.t2, found.t3, found.t4].slice(0, asked.length).map((count) => Math.max(count, 0.5) / Math.max(1, found.n));
  const joint = shares.at(-1) ?? 1;
  const most = forced ? gatherMost : Math.min(gatherMost, (2 * wanted) / joint);
  const rare = asked.slice(0, -1).filter((_part, i) => (shares[i] ?? 1) * found.total <= most);
  if (rare.length > 0) return rare.join(' & ');
  return joint * found.total <= most ? all : null;
};

/** All that fits behind a place, found by the narrowest range or the rarest terms; null: these find too much. */
const gather = async (reading: Reading, place: Place | null, limit: number, forced: boolean): Promise<Found[] | null> => {
  const { request, db, values, pace: { gatherMost, rangeMost } } = reading;
  const shape = shapeOf(reading, place);
  const sorted = (found: (Found & { n: number })[]): Found[] | null => ((found[0]?.n ?? 0) > gatherMost ? null : found.filter((each) => each.id !== null));
  for (const { field, least, most } of rangesOf(request)) {
    const range = { rangeField: field, least, most };
    const count = countRange(rangeMost);
    const { n } = (await row<{ n: number }>(db, count.prepared, valuesOf(count, { ...values, ...range }))) ?? { n: 0 };
    if (n <= rangeMost) return sorted(await ask(reading, gatherRange(shape, gatherMost), { ...placed(place), ...range, limit }));
  }
  const terms = await rareTerms(reading, limit, forced);
  return terms === null ? null : sorted(await ask(reading, gatherTerms(shape, gatherMost), { ...placed(place), terms, limit }));
};

const readStream = async (reading: Reading, from: Place | null, wanted: number): Promise<Found[]> => {
  const { strides, nearby } = reading.pace;
  const found: Found[] = [];
  let place = from;
  let [read, fitting] = [0, 0];
  let gathers = true;
  for (let step = 0; ; ) {
    const stride = strides[step] ?? strides[3];
    const answered = await ask<Found & { edge: Edge | null }>(reading, probe(shapeOf(reading, place), stride), { ...placed(place), limit: wanted - found.length });
    found.push(...answered.filter(({ edge }) => edge === null));
    const edge = answered.find((each) => each.edge !== null)?.edge ?? null;
    if (found.length >= wanted || edge === null || edge[2] === null) return found;
    place = [reading.stream === 'absent' ? 1 : 0, edge[3], edge[4], edge[2]];
    read += edge[0];
    fitting += edge[1];
    const expected = ((wanted - found.length) * read) / Math.max(fitting, 0.5);
    if (gathers && expected > nearby) {
      const rest = await gather(reading, place, wanted - found.length, step > 0);
      if (rest !== null) return [...found, ...rest];
      gathers = step === 0;
    }
    if (step < strides.length - 1) step += 1;
  }
};

/** Ops that a record without the field fulfils. */
const absentOps = ['ne', 'nin', 'exists'];

const streamsOf = ({ order: { by }, clauses }: ListRequest): readonly StreamName[] => {
  if (by.kind !== 'field') return [by.kind];
  return clauses.some(({ field, op }) => field === by.field && !absentOps.includes(op)) ? ['present'] : ['present', 'absent'];
};

export interface RecordPage {
  readonly records: readonly FullRecord[];
  /** null: there are no more. */
  readonly next: Place | null;
}

export const listStored = async (db: Db | Tx, request: ListRequest, pace: Pace = usualPace): Promise<RecordPage> => {
  const { env, resource, order, clauses, text, after, limit } = request;
  const field = order.by.kind === 'field' ? order.by.field : null;
  const bounds = rangesOf(request).find((range) => range.field === field);
  const values = {
    env, resource, path: pathOf(clauses), query: text === null ? null : termQueries(env, resource).matches(text),
    field, floor: bounds?.least ?? -Number.MAX_VALUE, ceiling: bounds?.most ?? Number.MAX_VALUE,
  };
  const found: (Found & { absent: number })[] = [];
  for (const stream of streamsOf(request)) {
    const absent = stream === 'absent' ? 1 : 0;
    if (found.length > limit || (after !== null && after[0] > absent)) continue;
    const from = after !== null && after[0] === absent ? after : null;
    found.push(...(await readStream({ db, request, stream, pace, values }, from, limit + 1 - found.length)).map((each) => ({ ...each, absent })));
  }
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    records: found.slice(0, limit).map(({ id, title, subtitle, fields, updatedAt }) => ({ resource, id, title, subtitle, fields, updatedAt })),
    next: last === undefined ? null : [last.absent, last.k1, last.k2, last.id],
  };
};
