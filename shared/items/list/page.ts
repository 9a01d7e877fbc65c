/** Reads one page of items in any sort, under any filters. Used by `GET /items` and by blocks of items. */
import type { Db, Tx } from '../../platform/db/knex.ts';
import type { TextRow } from '../../platform/db/sql.ts';
import { cutPage } from '../../platform/listing/page.ts';
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
import {
  canBeGathered,
  chooseTerms,
  isRareContent,
  readCandidateRows,
  readOverdueRows,
  readRowsByContents,
  readRowsByGathering,
  readRowsByWalking,
  type ItemScanWindow,
} from './search.ts';
import { itemStreams, streamsForSort, type ItemStream } from './streams.ts';

export interface ItemPage {
  /** Rows of `itemColumns`, followed by further columns. */
  readonly rows: readonly TextRow[];
  /** The cursor of the next page; null: this is the last one. */
  readonly next: CursorKeys | null;
}

/** The rows that were found of a stream. */
interface Found {
  readonly rows: readonly TextRow[];
  /** Up to where the stream was read when the time was over; null: nothing is missing, or the stream ended. */
  readonly stoppedAt: CursorKeys | null;
}

const complete = (...parts: readonly (readonly TextRow[])[]): Found => ({ rows: parts.flat(), stoppedAt: null });

interface StreamRead {
  readonly scan: ItemScan;
  readonly request: ItemListRequest;
  /** Returns the milliseconds that the page may still take. */
  readonly msLeft: () => number;
}

type ItemReader = StreamReader<TextRow, CursorKeys, ItemScanEdge>;

const openReader = (scan: ItemScan, from: CursorKeys, wanted: number): ItemReader =>
  new StreamReader((place, rows, limit) => probeItems(scan, place, rows, limit), from, wanted);

const windowOf = ({ place, missing }: ItemReader): ItemScanWindow => ({ place, limit: missing });

/** Returns the rows to read for all that is missing, with a margin of a quarter. */
const rowsNeeded = (edge: ItemScanEdge, missing: number): number => rowsForWanted(edge, missing) * 1.25;

/** Returns a stride that is enough where one row in ten fits; rows that are skipped without being fetched cost next to nothing. */
const usualStride = ({ scanLimits, stream }: ItemScan, wanted: number): number =>
  strideFor(scanLimits, stream.skips === undefined ? wanted * 9 : scanLimits.nearby * 4);

/** Returns how many rows are read on rather than looked up. Comparing contents takes longer, and so does looking them up. */
const nearbyRows = ({ scanLimits, open }: ItemScan): number =>
  open.includes('contents') ? scanLimits.nearby * 3 : scanLimits.nearby;

/**
 * Reads on, by a stride that ends within the time of the page. Where contents are compared the next rows may take much longer than
 * the last ones, of which other filters have left few to compare; else so many rows as are usual take no time to speak of.
 */
const readWithin = (
  { scan: { scanLimits, open }, msLeft }: StreamRead,
  reader: ItemReader,
  stride: number,
): Promise<ItemScanEdge | null> => {
  const { nearby } = scanLimits;
  const [most, least] = open.includes('contents') ? [strideFor(scanLimits, nearby), 0] : [stride, nearby * 4];
  return reader.read(reader.strideWithin(scanLimits, Math.min(stride, most), { ms: msLeft(), least }));
};

/** Returns the rows that were found when the time was over, and where reading stopped. */
const stopped = ({ rows, place }: ItemReader): Found => ({ rows, stoppedAt: place });

/** Reads the first rows of a stream: few where contents are compared, and only if some of these have them, as many as usual. */
const readFirst = async (scan: ItemScan, reader: ItemReader, wanted: number): Promise<ItemScanEdge | null> => {
  const { scanLimits, open } = scan;
  if (!open.includes('contents')) return reader.read(usualStride(scan, wanted));
  const edge = await reader.read(scanLimits.contentsFirst);
  return edge === null || edge.shares.contents === 0 ? edge : reader.read(strideFor(scanLimits, reader.missing * 9));
};

/** Returns whether overdue items are looked for by deadline first: where nothing else leaves fewer rows. */
const prefersDeadline = ({ open }: ItemScan, request: ItemListRequest, { shares }: ItemScanEdge): boolean =>
  request.overdue === true && open.includes('overdue') && open.every((filter) => shares.overdue <= shares[filter]);

/** Returns up to `wanted` rows behind `from` that fit, in order of activity: reads on while that soon finds them, then looks terms up. */
const readByActivity = async (reading: StreamRead, from: CursorKeys, wanted: number): Promise<Found> => {
  const { scan, request, msLeft } = reading;
  const { scanLimits, stream } = scan;
  const reader = openReader(scan, from, wanted);
  let edge = await readFirst(scan, reader, wanted);
  for (let lookedUp = false; edge !== null;) {
    if (msLeft() <= 0) return stopped(reader);
    const needed = rowsNeeded(edge, reader.missing);
    if (needed <= nearbyRows(scan)) {
      edge = await readWithin(reading, reader, strideFor(scanLimits, needed));
      continue;
    }
    const few = lookedUp ? null : await readFewRows(scan, request, edge, windowOf(reader));
    if (few !== null) return complete(reader.rows, few);
    lookedUp = true;
    const chosen = chooseTerms(request, stream, edge);
    if (chosen !== null) return complete(reader.rows, await readRowsByWalking(scan, chosen, windowOf(reader)));
    edge = await readWithin(reading, reader, nextStride(scanLimits, edge.rows));
  }
  return complete(reader.rows);
};

/** Returns the first rows behind a place, found by contents, by deadlines or by a source of candidates; null: none has few enough. */
const readFewRows = async (
  scan: ItemScan,
  request: ItemListRequest,
  edge: ItemScanEdge,
  window: ItemScanWindow,
): Promise<TextRow[] | null> =>
  (isRareContent(scan, edge) ? await readRowsByContents(scan, request, window) : null) ??
  (prefersDeadline(scan, request, edge) ? await readOverdueRows(scan, request, window) : null) ??
  (await readCandidateRows(scan, request, window));

/** Measures the filters on the items with the newest activity, an order that seldom has to do with another. */
const readOverallEdge = async (
  { db, scanLimits }: ItemScan,
  request: ItemListRequest,
): Promise<ItemScanEdge | null> => {
  const stream = itemStreams.seen;
  const seen = createItemScan(db, request, { stream, descending: true, scanLimits });
  return seen === null ? null : readScanEdge(seen, streamStart(stream, request, true), scanLimits.sampleRows);
};

/**
 * Returns the same in another order, in which matches may stand together or far apart: where matches are frequent overall, a
 * limited part of the stream is read on first; then all matches are gathered and sorted, if they are few enough.
 */
const readSorted = async (reading: StreamRead, from: CursorKeys, wanted: number): Promise<Found> => {
  const { scan, request, msLeft } = reading;
  const { scanLimits } = scan;
  const reader = openReader(scan, from, wanted);
  let edge = await readFirst(scan, reader, wanted);
  if (edge !== null && rowsNeeded(edge, reader.missing) <= scanLimits.nearby * 4)
    edge = await readWithin(reading, reader, strideFor(scanLimits, scanLimits.nearby * 4));
  if (edge === null) return complete(reader.rows);
  if (msLeft() <= 0) return stopped(reader);
  const few = await readFewRows(scan, request, edge, windowOf(reader));
  if (few !== null) return complete(reader.rows, few);
  // The newest items tell nothing of those of another time.
  const overall =
    (request.seen === null && request.created === null ? await readOverallEdge(scan, request) : null) ?? edge;
  const chosen = chooseTerms(request, itemStreams.seen, overall);
  const expected = rowsForWanted(overall, wanted) * 4;
  if (expected <= scanLimits.farther) {
    edge = await readWithin(reading, reader, strideFor(scanLimits, expected));
    if (edge === null) return complete(reader.rows);
  }
  if (chosen !== null && canBeGathered(chosen) && msLeft() > 0) {
    const most = scan.open.includes('contents') ? scanLimits.contents : scanLimits.gatherMost;
    const found = await readRowsByGathering(scan, chosen, { ...windowOf(reader), most });
    if (found !== null) return complete(reader.rows, found);
  }
  for (let stride = scanLimits.farther; edge !== null; stride = nextStride(scanLimits, stride)) {
    if (msLeft() <= 0) return stopped(reader);
    edge = await readWithin(reading, reader, stride);
  }
  return complete(reader.rows);
};

const readStream = async (reading: StreamRead, from: CursorKeys, wanted: number): Promise<Found> => {
  const { scan, request } = reading;
  if (scan.open.length === 0) return complete(await readItemStream(scan, from, wanted));
  // A record, a holder and an agent have few items, which stand far apart in every order.
  const few = [request.record, request.claimed, request.delegates].every((asked) => asked === null)
    ? null
    : await readCandidateRows(scan, request, { place: from, limit: wanted });
  if (few !== null) return complete(few);
  return scan.stream.key === 'last_seen' ? readByActivity(reading, from, wanted) : readSorted(reading, from, wanted);
};

/** Returns the streams that have rows behind the cursor, and the place at which each is read on. */
const remainingStreams = (request: ItemListRequest): { stream: ItemStream; place: CursorKeys }[] => {
  const { after, descending } = request;
  const all = streamsForSort(request).map((stream) => ({ stream, place: streamStart(stream, request, descending) }));
  if (after === null) return all;
  // A cursor in the second of the two streams by deadline has null as its key; one by priority has the stream's rank.
  const first = all.findIndex(({ stream: { key, rank } }) =>
    rank === undefined
      ? (key === null) === (after[0] === null)
      : descending
        ? rank <= Number(after[0])
        : rank >= Number(after[0]),
  );
  return all.slice(first === -1 ? all.length : first).map((each, n) => {
    const { rank } = each.stream;
    return n === 0 && (rank === undefined || rank === after[0]) ? { ...each, place: after } : each;
  });
};

/**
 * Returns a page of items in the order of `sort`, ties by id in the same direction. Deep pages run the same statements
 * as the first one; their cost does not grow with the table (docs/performance.md). A page that takes too long to fill ends
 * before, and the next one goes on from there.
 */
export const listItems = async (
  db: Db | Tx,
  given: ItemListRequest,
  scanLimits: ItemScanLimits = defaultItemScanLimits,
): Promise<ItemPage> => {
  const request = normalizeRequest(given);
  const { descending, limit, sort } = request;
  const startedAt = performance.now();
  const msLeft = (): number => startedAt + scanLimits.pageMs - performance.now();
  const keysOf = (key: string | number | null, id: string | number | null): CursorKeys => [
    key === null || sort === 'title' ? key : Number(key),
    id ?? '',
  ];
  const rows: TextRow[] = [];
  for (const { stream, place } of remainingStreams(request)) {
    if (rows.length > limit) break;
    const scan = createItemScan(db, request, { stream, descending, scanLimits });
    if (scan === null) continue;
    const { rank } = stream;
    const found = await readStream({ scan, request, msLeft }, place, limit + 1 - rows.length);
    // Rows end with what they are sorted by.
    rows.push(...(rank === undefined ? found.rows : found.rows.map((row) => [...row.slice(0, -1), String(rank)])));
    const [key = null, id = null] = found.stoppedAt ?? [];
    if (found.stoppedAt !== null) return { rows, next: keysOf(rank ?? key, id) };
  }
  const { page, last } = cutPage(rows, limit);
  return { rows: page, next: last === null ? null : keysOf(last.at(-1) ?? null, last[0] ?? '') };
};
