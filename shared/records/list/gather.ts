/** Finds by its rarest terms or narrowest range what a stream has too far apart, and puts it in order. Called by page.ts. */
import { queryRow } from '../../platform/db/sql.ts';
import { statementValues } from '../../platform/db/namedStatement.ts';
import { termQueries } from '../terms.ts';
import {
  queryRecordScan,
  positionValues,
  toRecordStreamShape,
  type FoundRecord,
  type RecordListRequest,
  type RecordPosition,
  type RecordScan,
} from './scan.ts';
import { countRangeStatement, gatherRangeStatement, gatherTermsStatement, sampleTermsStatement } from './statements.ts';

/** A row that is found by terms, looked at and sorted costs as much as so many that are read in order. */
const gatheredRowCost = 4;

/** As many as `sample` counts. */
const partsMax = 6;

/** The tsqueries that the request can be narrowed by. */
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

/** Bounds of the numeric fields that have keys; the path compares once more. */
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
  /** Of each part, and of all together: which part of the records has them, as measured on the first ones by id. */
  readonly each: readonly { readonly part: string; readonly share: number }[];
  readonly joint: number;
  /** About how many records there are, of all resources. */
  readonly total: number;
}

/** Longer texts are more often rare. */
const longestFirst = (a: string, b: string): number => b.length - a.length;

export const sampleTermShares = async (
  reading: Pick<RecordScan, 'db' | 'values'>,
  parts: readonly string[],
  rows: number,
): Promise<TermShares> => {
  const asked = [...[...parts].sort(longestFirst).slice(0, partsMax - 1), parts.join(' & ')];
  const [found] = await queryRecordScan<Record<string, number>>(
    reading,
    sampleTermsStatement(rows),
    Object.fromEntries(asked.map((part, i) => [`term${String(i + 1)}`, part])),
  );
  // What is not among them may be nearly as frequent as one of them.
  const shares = asked.map((part, i) => ({
    part,
    share: Math.max(found?.[`t${String(i + 1)}`] ?? 0, 0.5) / Math.max(1, found?.['n'] ?? 0),
  }));
  return { each: shares.slice(0, -1), joint: shares.at(-1)?.share ?? 1, total: found?.['total'] ?? 0 };
};

/** The tsquery of the parts that at most so many records have, or of all when that holds of them together; null: of neither. */
export const selectRareTerms = ({ each, joint, total }: TermShares, all: string, most: number): string | null => {
  const rare = each.filter(({ share }) => share * total <= most).map(({ part }) => part);
  if (rare.length > 0) return rare.join(' & ');
  return joint * total <= most ? all : null;
};

/**
 * All that fits behind a place, found by the narrowest range or the rarest terms; null: reading on costs less. `forced`:
 * it was read on already, and that didn't find enough.
 */
export const gatherRecords = async (
  reading: RecordScan,
  place: RecordPosition | null,
  limit: number,
  forced: boolean,
): Promise<FoundRecord[] | null> => {
  const {
    request,
    db,
    values,
    pace: { gatherMost, rangeMost, sampleRows },
  } = reading;
  const shape = toRecordStreamShape(reading, place);
  const sorted = (found: (FoundRecord & { n: number })[]): FoundRecord[] | null =>
    (found[0]?.n ?? 0) > gatherMost ? null : found.filter((each) => each.id !== null);
  for (const { field, least, most } of keyRanges(request)) {
    const range = { rangeField: field, least, most };
    const count = countRangeStatement(rangeMost);
    const { n } = (await queryRow<{ n: number }>(
      db,
      count.prepared,
      statementValues(count, { ...values, ...range }),
    )) ?? { n: 0 };
    if (n <= rangeMost)
      return sorted(
        await queryRecordScan(reading, gatherRangeStatement(shape, gatherMost), {
          ...positionValues(place),
          ...range,
          limit,
        }),
      );
  }
  const parts = termQueriesOf(request);
  if (parts.length === 0) return null;
  const shares = await sampleTermShares(reading, parts, sampleRows);
  const terms = selectRareTerms(
    shares,
    parts.join(' & '),
    forced ? gatherMost : Math.min(gatherMost, limit / shares.joint / gatheredRowCost),
  );
  return terms === null
    ? null
    : sorted(
        await queryRecordScan(reading, gatherTermsStatement(shape, gatherMost), {
          ...positionValues(place),
          terms,
          limit,
        }),
      );
};
