/** Reads one stream, or what terms find, from one place on: the statements with their parameters. Used by items/list/. */
import type { Db, Tx } from '../../platform/db/knex.ts';
import { type NamedStatement, type NamedValues, type TextRow, queryNamedTextRows } from '../../platform/db/sql.ts';
import {
  gatheredRows,
  parseEdge,
  splitProbe,
  type Probe,
  type RowFormat,
  type ScanEdge,
  type ScanLimits,
} from '../../platform/listing/scan.ts';
import { filterNames, filterValues, requestedFilters } from './filters.ts';
import type { CursorKeys, ItemCountRequest, ItemFilterName } from './request.ts';
import { sourceValues } from './sources.ts';
import {
  itemEdgeStatement,
  itemPartsStatement,
  itemPlaceStatement,
  itemProbeStatement,
  itemStreamStatement,
} from './statements.ts';
import { branchesOf, type ItemStream } from './streams.ts';
import { branchSizeFor, keyType } from './streamSql.ts';

export interface ItemScanLimits extends ScanLimits {
  /** So many rows at most are read in another order than by activity before matches are gathered. */
  readonly farther: number;
  /** So many overdue items at most are gathered when the newest items are not overdue. */
  readonly overdue: number;
  /** A page is not read on after so many milliseconds. */
  readonly pageMs: number;
  /** So many rows of item_words at most are looked up, which costs about as much as comparing a third fewer rows with them. */
  readonly contents: number;
  /** What takes longer to be looked up in item_words, by the number of rows that have each part, is read on for instead; milliseconds. */
  readonly contentsMs: number;
  /** So many rows are compared first with the contents that are asked for; so few are looked up as they are found. */
  readonly contentsFirst: number;
  /** So many rows tell how frequent each part of the contents is, where there are several. */
  readonly partRows: number;
  /** More branches are read by LATERAL instead of a merge, which costs more rows and less planning. */
  readonly branches: number;
}

export const defaultItemScanLimits: ItemScanLimits = {
  strides: [500, 2000, 8000, 32_000, 128_000],
  nearby: 2000,
  farther: 32_000,
  sampleRows: 1000,
  overdue: 2000,
  contents: 10_000,
  contentsMs: 100,
  contentsFirst: 100,
  partRows: 500,
  gatherMost: 20_000,
  pageMs: 250,
  branches: 64,
};

export interface ItemScan {
  readonly db: Db | Tx;
  readonly stream: ItemStream;
  readonly descending: boolean;
  /** Branches of the statement, null: too many for one of its own. */
  readonly size: number | null;
  readonly scanLimits: ItemScanLimits;
  /** Whether the stream, ordered by activity, is read in the range of `request.seen` alone. */
  readonly within: boolean;
  /** Filters that rows of the stream may fail. */
  readonly open: readonly ItemFilterName[];
  /** Parameters of all statements; without a place. */
  readonly values: NamedValues;
}

/** Returns what reading a stream takes; null: no row of the stream fits the request. */
export const createItemScan = (
  db: Db | Tx,
  request: ItemCountRequest,
  { stream, descending, scanLimits }: Pick<ItemScan, 'stream' | 'descending' | 'scanLimits'>,
): ItemScan | null => {
  const branches = branchesOf(stream, request);
  const count = branches.inbox.length;
  if (count === 0) return null;
  const within = request.seen !== null && stream.key === 'last_seen';
  const open = requestedFilters(request).filter(
    (filter) => !stream.satisfies.includes(filter) && !(within && filter === 'seen'),
  );
  return {
    db,
    stream,
    descending,
    scanLimits,
    size: count > scanLimits.branches ? null : branchSizeFor(count),
    within,
    open,
    values: {
      ...filterValues(request),
      ...sourceValues(request),
      ...branches,
      // Inboxes with the priorities of the stream, for what is found without its branches.
      ranked:
        stream.rank === undefined
          ? null
          : branches.inbox.map((inbox, n) => `${inbox ?? ''} ${branches.priority[n] ?? ''}`),
    },
  };
};

/** Runs a statement with the parameters of the scan and further ones. */
export const queryItemScan = (
  { db, values }: Pick<ItemScan, 'db' | 'values'>,
  statement: NamedStatement,
  more: NamedValues,
): Promise<TextRow[]> => queryNamedTextRows(db, statement, { ...values, ...more });

/** Returns a place in a stream as parameters. */
export const cursorValues = (place: CursorKeys): NamedValues => ({
  key: place[0] ?? null,
  id: place[1] ?? null,
});

/**
 * Returns the place before everything that a stream may hold of a request. Ids begin with a letter; titles have at most 500
 * characters.
 */
export const streamStart = (
  { key }: ItemStream,
  { seen }: Pick<ItemCountRequest, 'seen'>,
  descending: boolean,
): CursorKeys => {
  if (key === 'last_seen' && seen !== null) return [descending ? seen.to : seen.from, ''];
  if (key === null) return [null, descending ? '~' : ''];
  const type = keyType({ key });
  if (type === 'text') return descending ? ['\u{10ffff}'.repeat(501), '~'] : ['', ''];
  const extreme = type === 'int' ? 2_147_483_647 : Number.MAX_SAFE_INTEGER;
  return descending ? [extreme, '~'] : [-extreme, ''];
};

export interface ItemScanEdge extends ScanEdge<CursorKeys> {
  /** Of one, how many fit each filter. */
  readonly shares: Readonly<Record<ItemFilterName, number>>;
  /** Of one, how many hold the hint of each word that may be looked up. */
  readonly hints: readonly number[];
}

const toEdge = (rows: number, text: string): ItemScanEdge => {
  const { last, fitting, counts } = parseEdge(text, 1);
  const share = counts.map((count) => count / rows);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- filterNames are all names, each with its share.
  const shares = Object.fromEntries(filterNames.map((filter, n) => [filter, share[n] ?? 0])) as ItemScanEdge['shares'];
  return { rows, place: last, fitting, shares, hints: share.slice(filterNames.length) };
};

/** Rows of the statements end with the edge or the number of matches, and the value that is sorted by. */
const furtherColumn = -2;

const itemRows: RowFormat<TextRow> = {
  // The outer join leaves a row without an item null; the first column is the id.
  isFound: ([id]) => id !== null,
  edge: (row) => row.at(furtherColumn) ?? null,
  matches: (row) => Number(row.at(furtherColumn) ?? '0'),
};

/** Returns where the next `rows` of the stream end and what fits among them. */
export const readScanEdge = async (scan: ItemScan, place: CursorKeys, rows: number): Promise<ItemScanEdge> => {
  const [found] = await queryItemScan(scan, itemEdgeStatement({ ...scan, rows }), cursorValues(place));
  return toEdge(rows, found?.[0] ?? '');
};

/** Of one, how many of the rows of a stream have all parts of the contents, and how many have each. */
interface PartShares {
  readonly all: number;
  readonly each: readonly number[];
  /** Number of the items of the visible inboxes. */
  readonly items: number;
}

/** Returns how frequent the parts of the contents are behind a place. */
export const readPartShares = async (scan: ItemScan, place: CursorKeys): Promise<PartShares> => {
  const statement = itemPartsStatement({ ...scan, rows: scan.scanLimits.partRows });
  const [found] = await queryItemScan(scan, statement, cursorValues(place));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- itemPartsStatement makes it an array of numbers.
  const [items = 0, rows = 0, ...counts] = JSON.parse(found?.[0] ?? '[]') as readonly number[];
  const [all = 0, ...each] = counts.map((count) => count / Math.max(rows, 1));
  return { all, each: each.slice(0, Number(scan.values['partCount'])), items };
};

/** Returns the place of the last of the next `rows` of a stream by activity, found in its index alone; null: there are fewer. */
export const readPlaceAfter = async (scan: ItemScan, place: CursorKeys, rows: number): Promise<CursorKeys | null> => {
  const [last] = await queryItemScan(scan, itemPlaceStatement({ ...scan, rows }), cursorValues(place));
  return last === undefined ? null : [Number(last[0]), last[1] ?? ''];
};

/** A probe of `StreamReader`. */
export const probeItems = async (
  scan: ItemScan,
  place: CursorKeys,
  rows: number,
  limit: number,
): Promise<Probe<TextRow, ItemScanEdge>> => {
  const statement = itemProbeStatement({ ...scan, rows });
  const probe = splitProbe(await queryItemScan(scan, statement, { ...cursorValues(place), limit }), itemRows);
  return { rows: probe.rows, edge: probe.edge === null ? null : toEdge(rows, probe.edge) };
};

/** Returns the next `limit` rows of the stream, where no filter is open. */
export const readItemStream = (scan: ItemScan, place: CursorKeys, limit: number): Promise<TextRow[]> =>
  queryItemScan(scan, itemStreamStatement({ ...scan, rows: limit <= 51 ? 51 : 201 }), {
    ...cursorValues(place),
    limit,
  });

/** Runs a statement that gathers at most `values.most` matches; null: there are more. */
export const gatherItems = async (
  scan: Pick<ItemScan, 'db' | 'values'>,
  statement: NamedStatement,
  values: NamedValues & { readonly most: number },
): Promise<TextRow[] | null> => gatheredRows(await queryItemScan(scan, statement, values), values.most, itemRows);
