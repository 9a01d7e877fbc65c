/**
 * Finds matches by their rarest terms or narrowest range and sorts them, where they are too far apart in a stream. Used by
 * page.ts and records/search.ts.
 */
import type { Db, Tx } from '../../platform/db/knex.ts';
import { type NamedValues, queryNamedRows } from '../../platform/db/sql.ts';
import { termQueries } from '../terms.ts';
import {
  readGatheredRecords,
  type FoundRecord,
  type RecordListRequest,
  type RecordPosition,
  type RecordScan,
} from './scan.ts';
import { countRangeStatement, sampleTermsStatement } from './statements.ts';

/** Finding a row by terms, comparing and sorting it costs as much as reading so many rows in order. */
const gatheredRowCost = 4;

/** The number of terms that `sampleTermsStatement` counts. */
const partsMax = 6;

/** Returns the tsqueries that every match of the request fits. */
const termQueriesOf = ({ env, resource, clauses, text, equalityFields: equal }: RecordListRequest): string[] => {
  const terms = termQueries(env, resource);
  const ofClauses = clauses
    .filter(({ field }) => equal.includes(field))
    .flatMap(({ field, op, values }) => {
      if (op === 'eq' || op === 'in') return [terms.equals(field, values)];
      if (op === 'startsWith' && values[0] !== '') return [terms.startsWith(field, String(values[0]))];
      return op === 'exists' && values[0] === true ? [terms.has(field)] : [];
    });
  return [...(text === null ? [] : terms.matches(text)), ...ofClauses];
};

interface KeyRange {
  readonly field: string;
  readonly least: number;
  readonly most: number;
}

/** Returns the bounds of numeric fields that have keys, inclusive; the jsonpath of the filters compares exactly. */
export const keyRanges = ({ clauses, rangeFields: ranged }: RecordListRequest): KeyRange[] =>
  ranged.flatMap((field) => {
    const own = clauses.filter((clause) => clause.field === field && typeof clause.values[0] === 'number');
    const bounds = (ops: readonly string[]): number[] =>
      own.filter(({ op }) => ops.includes(op)).map(({ values }) => Number(values[0]));
    const [above, below] = [bounds(['gt', 'gte', 'eq']), bounds(['lt', 'lte', 'eq'])];
    if (above.length + below.length === 0) return [];
    return [{ field, least: Math.max(-Number.MAX_VALUE, ...above), most: Math.min(Number.MAX_VALUE, ...below) }];
  });

interface TermShares {
  /** The share of records with each part, measured on the first records by id. */
  readonly each: readonly { readonly part: string; readonly share: number }[];
  /** The share of records with all parts. */
  readonly joint: number;
  /** About how many records there are, of all resources and environments. */
  readonly total: number;
}

/** Longer texts are more often rare. */
const longestFirst = (a: string, b: string): number => b.length - a.length;

/** Measures how frequent terms are, on the first `rows` records by id of the resource that `values` name. */
export const sampleTermShares = async (
  db: Db | Tx,
  values: NamedValues,
  parts: readonly string[],
  rows: number,
): Promise<TermShares> => {
  const sampled = [...[...parts].sort(longestFirst).slice(0, partsMax - 1), parts.join(' & ')];
  const [found] = await queryNamedRows<Record<string, number>>(db, sampleTermsStatement(rows), {
    ...values,
    ...Object.fromEntries(sampled.map((part, i) => [`term${String(i + 1)}`, part])),
  });
  // A term that none of the sampled records has may still be nearly as frequent as one in the sample.
  const shares = sampled.map((part, i) => ({
    part,
    share: Math.max(found?.[`t${String(i + 1)}`] ?? 0, 0.5) / Math.max(1, found?.['n'] ?? 0),
  }));
  return { each: shares.slice(0, -1), joint: shares.at(-1)?.share ?? 1, total: found?.['total'] ?? 0 };
};

/** Returns the tsquery of the parts that at most `most` records have, else `all` if at most `most` have them all, else null. */
export const selectRareTerms = ({ each, joint, total }: TermShares, all: string, most: number): string | null => {
  const rare = each.filter(({ share }) => share * total <= most).map(({ part }) => part);
  if (rare.length > 0) return rare.join(' & ');
  return joint * total <= most ? all : null;
};

/**
 * Returns the first `limit` rows behind a place, found by the narrowest range or the rarest terms; null: reading on costs
 * less. `readBefore`: strides were read already and did not hold enough.
 */
export const gatherRecords = async (
  scan: RecordScan,
  place: RecordPosition | null,
  limit: number,
  readBefore: boolean,
): Promise<FoundRecord[] | null> => {
  const { request, db, values } = scan;
  const { gatherMost, rangeMost, sampleRows } = scan.scanLimits;
  for (const { field, least, most } of keyRanges(request)) {
    const range = { rangeField: field, least, most };
    const [count] = await queryNamedRows<{ n: number }>(db, countRangeStatement(rangeMost), { ...values, ...range });
    if ((count?.n ?? 0) <= rangeMost) return readGatheredRecords(scan, place, limit, range);
  }
  const parts = termQueriesOf(request);
  if (parts.length === 0) return null;
  const shares = await sampleTermShares(db, values, parts, sampleRows);
  const most = readBefore ? gatherMost : Math.min(gatherMost, limit / shares.joint / gatheredRowCost);
  const terms = selectRareTerms(shares, parts.join(' & '), most);
  return terms === null ? null : readGatheredRecords(scan, place, limit, { terms });
};
