/** Reads one page of items in any sort, under any filters. Used by `GET /items` and by blocks of items. */
import type { Db, Tx } from '../../platform/db/knex.ts';
import type { TextRow } from '../../platform/db/sql.ts';
import { cutPage, readStreams } from '../../platform/listing/page.ts';
import { nextStride, rowsForWanted, StreamReader, strideFor } from '../../platform/listing/scan.ts';
import { normalizeRequest, type CursorKeys, type ItemListRequest } from './request.ts';
import {
  createItemScan,
  defaultItemScanLimits,
  probeItems,
  readItemStream,
  readScanEdge,
  streamStart,
  type ItemScan,
  type ItemScanEdge,
  type ItemScanLimits,
} from './scan.ts';
import { chooseTerms, readOverdueRows, readRowsByGathering, readRowsByWalking, type ItemScanWindow } from './search.ts';
import { itemStreams, streamsForSort, type ItemStream } from './streams.ts';

interface ItemPage {
  /** Rows of `itemColumns`, followed by further columns. */
  readonly rows: readonly TextRow[];
  /** The cursor of the next page; null: this is the last one. */
  readonly next: CursorKeys | null;
}

const unlimited = 2_000_000_000;

type ItemReader = StreamReader<TextRow, CursorKeys, ItemScanEdge>;

const openReader = (scan: ItemScan, from: CursorKeys, wanted: number): ItemReader =>
  new StreamReader((place, rows, limit) => probeItems(scan, place, rows, limit), from, wanted);

const windowOf = ({ place, missing }: ItemReader): ItemScanWindow => ({ place, limit: missing });

/** Returns the rows to read for all that is missing, with a margin of a quarter. */
const rowsNeeded = (edge: ItemScanEdge, missing: number): number => rowsForWanted(edge, missing) * 1.25;

/** Returns a stride that is enough where one row in ten fits; rows that are skipped without being fetched cost next to nothing. */
const firstStride = ({ scanLimits, stream }: ItemScan, wanted: number): number =>
  strideFor(scanLimits, stream.skips === undefined ? wanted * 9 : scanLimits.nearby * 4);

/** Returns whether overdue items are looked for by deadline first: where nothing else leaves fewer rows. */
const prefersDeadline = ({ open }: ItemScan, request: ItemListRequest, { shares }: ItemScanEdge): boolean =>
  request.overdue === true && open.includes('overdue') && open.every((filter) => shares.overdue <= shares[filter]);

/** Returns up to `wanted` rows behind `from` that fit, in order of activity: reads on while that soon finds them, then looks terms up. */
const readByActivity = async (
  scan: ItemScan,
  request: ItemListRequest,
  from: CursorKeys,
  wanted: number,
): Promise<TextRow[]> => {
  const { scanLimits, stream } = scan;
  const reader = openReader(scan, from, wanted);
  let stride = firstStride(scan, wanted);
  for (let first = true; ; first = false) {
    const edge = await reader.read(stride);
    if (edge === null) return reader.rows;
    const needed = rowsNeeded(edge, reader.missing);
    if (needed <= scanLimits.nearby) {
      stride = strideFor(scanLimits, needed);
      continue;
    }
    const overdue =
      first && prefersDeadline(scan, request, edge) ? await readOverdueRows(scan, request, windowOf(reader)) : null;
    if (overdue !== null) return [...reader.rows, ...overdue];
    const chosen = chooseTerms(request, stream, edge);
    if (chosen !== null) return [...reader.rows, ...(await readRowsByWalking(scan, chosen, windowOf(reader)))];
    stride = nextStride(scanLimits, stride);
  }
};

/** Measures the filters on the items with the newest activity, an order that seldom has to do with another. */
const readOverallEdge = async (
  { db, scanLimits }: ItemScan,
  request: ItemListRequest,
): Promise<ItemScanEdge | null> => {
  const stream = itemStreams.seen;
  const seen = createItemScan(db, request, { stream, descending: true, scanLimits });
  return seen === null ? null : readScanEdge(seen, streamStart(stream, true), scanLimits.sampleRows);
};

/**
 * Returns the same in another order, in which matches may stand together or far apart: where matches are frequent overall, a
 * limited part of the stream is read on; else all matches are gathered and sorted.
 */
const readSorted = async (
  scan: ItemScan,
  request: ItemListRequest,
  from: CursorKeys,
  wanted: number,
): Promise<TextRow[]> => {
  const { scanLimits } = scan;
  const reader = openReader(scan, from, wanted);
  let edge = await reader.read(firstStride(scan, wanted));
  if (edge !== null && rowsNeeded(edge, reader.missing) <= scanLimits.nearby * 4)
    edge = await reader.read(strideFor(scanLimits, scanLimits.nearby * 4));
  if (edge === null) return reader.rows;
  if (prefersDeadline(scan, request, edge)) {
    const overdue = await readOverdueRows(scan, request, windowOf(reader));
    if (overdue !== null) return [...reader.rows, ...overdue];
  }
  const overall = (await readOverallEdge(scan, request)) ?? edge;
  const chosen = chooseTerms(request, itemStreams.seen, overall);
  const expected = (wanted * scanLimits.sampleRows) / overall.fitting;
  for (let most = scanLimits.gatherMost; chosen !== null; most = unlimited) {
    if (expected * 4 > scanLimits.farther || most === unlimited) {
      const found = await readRowsByGathering(scan, chosen, { ...windowOf(reader), most });
      if (found !== null) return [...reader.rows, ...found];
    }
    if ((await reader.read(strideFor(scanLimits, Math.min(expected * 4, scanLimits.farther)))) === null)
      return reader.rows;
  }
  for (let stride = scanLimits.farther; edge !== null; stride = nextStride(scanLimits, stride))
    edge = await reader.read(stride);
  return reader.rows;
};

const readStream = (scan: ItemScan, request: ItemListRequest, from: CursorKeys, wanted: number): Promise<TextRow[]> => {
  if (scan.open.length === 0) return readItemStream(scan, from, wanted);
  return scan.stream.key === 'last_seen'
    ? readByActivity(scan, request, from, wanted)
    : readSorted(scan, request, from, wanted);
};

/** Returns the streams that have rows behind the cursor, and the place at which each is read on. */
const remainingStreams = (request: ItemListRequest): { stream: ItemStream; place: CursorKeys }[] => {
  const { after, descending } = request;
  const all = streamsForSort(request).map((stream) => ({ stream, place: streamStart(stream, descending) }));
  if (after === null) return all;
  // A cursor in the second of the two streams by deadline has null as its key.
  const left = all.slice(all.length > 1 && after[0] === null ? 1 : 0);
  return left.map((each, n) => (n === 0 ? { ...each, place: after } : each));
};

/**
 * Returns a page of items in the order of `sort`, ties by id in the same direction. Deep pages run the same statements
 * as the first one; their cost does not grow with the table (docs/performance.md).
 */
export const listItems = async (
  db: Db | Tx,
  given: ItemListRequest,
  scanLimits: ItemScanLimits = defaultItemScanLimits,
): Promise<ItemPage> => {
  const request = normalizeRequest(given);
  const { descending, limit, sort } = request;
  const rows = await readStreams(remainingStreams(request), limit + 1, async ({ stream, place }, wanted) => {
    const scan = createItemScan(db, request, { stream, descending, scanLimits });
    return scan === null ? [] : readStream(scan, request, place, wanted);
  });
  const { page, last } = cutPage(rows, limit);
  if (last === null) return { rows: page, next: null };
  const key = last.at(-1) ?? null;
  return { rows: page, next: [key === null || sort === 'title' ? key : Number(key), last[0] ?? ''] };
};
