/** Reads one stream, or what terms find, from one place on: the statements with their parameters. */
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryTextRows, type TextRow, type SqlValue } from '../../platform/db/sql.ts';
import { requestedFilters, filterValues, filterNames } from './filters.ts';
import type { ItemCountRequest, ItemFilterName, CursorKeys } from './request.ts';
import { statementValues, type NamedStatement } from '../../platform/db/namedStatement.ts';
import { itemEdgeStatement, itemStreamStatement, itemProbeStatement } from './statements.ts';
import { branchesOf, type ItemStream } from './streams.ts';
import { branchSizeFor } from './streamSql.ts';

/** By which steps a list is read; tests use small ones. Each stride and number of branches is a statement of its own. */
export interface ItemScanLimits {
  /** Numbers of rows that a stream is read by, smallest first. */
  readonly strides: readonly number[];
  /** Up to so many rows reading on in order of activity is cheaper than looking terms up. */
  readonly nearby: number;
  /** So many at most are read in another order before matches are gathered. */
  readonly farther: number;
  /** Rows of which the overall shares of the filters are learnt. */
  readonly sample: number;
  /** So many of the overdue are sought out when the newest are not overdue. */
  readonly overdue: number;
  /** So many matches are put in order at once before the stream is read further; later it is any number. */
  readonly sortable: number;
  /** More branches are read by LATERAL instead of a merge, which costs more rows and less planning. */
  readonly branches: number;
}

export const defaultItemScanLimits: ItemScanLimits = {
  strides: [500, 2000, 8000, 32_000, 128_000],
  nearby: 2000,
  farther: 32_000,
  sample: 1000,
  overdue: 2000,
  sortable: 20_000,
  branches: 64,
};

export interface ItemScan {
  readonly db: Db | Tx;
  readonly stream: ItemStream;
  readonly descending: boolean;
  /** Branches of the statement, null: too many for one of its own. */
  readonly size: number | null;
  readonly pace: ItemScanLimits;
  /** Filters that the stream doesn't decide. */
  readonly open: readonly ItemFilterName[];
  /** Parameters; without a place. */
  readonly values: Readonly<Record<string, SqlValue>>;
}

/** null: the stream has nothing that the request asks for. */
export const createItemScan = (
  db: Db | Tx,
  request: ItemCountRequest,
  { stream, descending, pace }: Pick<ItemScan, 'stream' | 'descending' | 'pace'>,
): ItemScan | null => {
  const branches = branchesOf(stream, request);
  const count = branches.inbox.length;
  if (count === 0) return null;
  const open = requestedFilters(request).filter((filter) => !stream.satisfies.includes(filter));
  return {
    db,
    stream,
    descending,
    pace,
    size: count > pace.branches ? null : branchSizeFor(count),
    open,
    values: { ...filterValues(request), ...branches },
  };
};

export const queryItemScan = (
  { db, values }: Pick<ItemScan, 'db' | 'values'>,
  statement: NamedStatement,
  more: Readonly<Record<string, SqlValue>>,
): Promise<TextRow[]> => queryTextRows(db, statement.prepared, statementValues(statement, { ...values, ...more }));

/** A place in a stream as parameters. */
export const cursorValues = (place: CursorKeys): Record<string, SqlValue> => ({
  key: place[0] ?? null,
  id: place[1] ?? null,
});

/** Before everything that a stream may hold. Ids begin with a letter; titles have at most 500 characters. */
export const streamStart = ({ key }: ItemStream, descending: boolean): CursorKeys => {
  const small = key === 'occurrences' || key === 'users';
  if (key === null) return [null, descending ? '~' : ''];
  if (key === 'title_key') return descending ? ['\u{10ffff}'.repeat(501), '~'] : ['', ''];
  const extreme = small ? 2_147_483_647 : Number.MAX_SAFE_INTEGER;
  return descending ? [extreme, '~'] : [-extreme, ''];
};

/** What the next `rows` of a stream told. */
export interface ScanEdge {
  readonly rows: number;
  /** Where they end; null: the stream ends before. */
  readonly place: CursorKeys | null;
  /** How many fit all filters. */
  readonly fitting: number;
  /** Of one, how many fit each filter. */
  readonly shares: Readonly<Record<ItemFilterName, number>>;
  /** Of one, how many hold the hint of each word that may be looked up. */
  readonly hints: readonly number[];
}

/** The stride that reads at least `rows`, or the longest. */
export const strideFor = ({ strides }: ItemScanLimits, rows: number): number =>
  strides.find((stride) => stride >= rows) ?? strides.at(-1) ?? rows;

type EdgeRow = [key: string | number | null, id: string | null, fitting: number, ...counts: number[]];

const parseEdge = (rows: number, text: string): ScanEdge => {
  const [key, id, fitting, ...counts] = JSON.parse(text) as EdgeRow;
  const share = counts.map((count) => count / rows);
  const shares = Object.fromEntries(filterNames.map((filter, n) => [filter, share[n] ?? 0])) as Record<
    ItemFilterName,
    number
  >;
  return { rows, place: id === null ? null : [key, id], fitting, shares, hints: share.slice(filterNames.length) };
};

export const readScanEdge = async (reading: ItemScan, place: CursorKeys, rows: number): Promise<ScanEdge> => {
  const [found] = await queryItemScan(reading, itemEdgeStatement({ ...reading, rows }), cursorValues(place));
  return parseEdge(rows, found?.[0] ?? '');
};

/** Rows that fit among the next `rows` of the stream; the edge, when these are fewer than `limit`. */
export const readScanProbe = async (
  reading: ItemScan,
  place: CursorKeys,
  rows: number,
  limit: number,
): Promise<{ rows: TextRow[]; edge: ScanEdge | null }> => {
  const found = await queryItemScan(reading, itemProbeStatement({ ...reading, rows }), {
    ...cursorValues(place),
    limit,
  });
  const told = found.find((row) => row[0] === null)?.at(-2) ?? null;
  return told === null
    ? { rows: found, edge: null }
    : { rows: found.filter((row) => row[0] !== null), edge: parseEdge(rows, told) };
};

export const readItemStream = (reading: ItemScan, place: CursorKeys, limit: number): Promise<TextRow[]> =>
  queryItemScan(reading, itemStreamStatement({ ...reading, rows: limit <= 51 ? 51 : 201 }), {
    ...cursorValues(place),
    limit,
  });
