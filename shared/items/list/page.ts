/** One page of items, in any sort, under any filters: called by routes/items.ts, by blocks and by MCP. */
import type { Db, Tx } from '../../platform/db/knex.ts';
import type { TextRow } from '../../platform/db/sql.ts';
import {
  readScanEdge,
  readItemStream,
  readScanProbe,
  createItemScan,
  streamStart,
  strideFor,
  defaultItemScanLimits,
  type ScanEdge,
  type ItemScanLimits,
  type ItemScan,
} from './scan.ts';
import { normalizeRequest, type CursorKeys, type ItemListRequest } from './request.ts';
import { chooseTerms, readRowsByGathering, readOverdueRows, readRowsByWalking } from './search.ts';
import { itemStreams, streamsForSort, type ItemStream } from './streams.ts';

interface ItemPage {
  /** Rows of `itemColumns`, with further columns behind them. */
  readonly rows: readonly TextRow[];
  /** null: there are no more. */
  readonly next: CursorKeys | null;
}

const unlimited = 2_000_000_000;

/** Rows that have to be read to find `limit` more, if the next ones are like those just read. */
const rowsNeeded = ({ rows, fitting }: ScanEdge, limit: number): number => (rows * limit * 1.25) / fitting;

/** Does where one row in ten fits; rows that are skipped without being fetched cost next to nothing. */
const firstStride = ({ pace, stream }: ItemScan, wanted: number): number =>
  strideFor(pace, stream.skips === undefined ? wanted * 9 : pace.nearby * 4);

/** Whether the overdue are looked for by deadline first: where nothing else leaves fewer rows. */
const prefersDeadline = ({ open }: ItemScan, request: ItemListRequest, { shares }: ScanEdge): boolean =>
  request.overdue === true && open.includes('overdue') && open.every((filter) => shares.overdue <= shares[filter]);

/** Up to `wanted` rows behind `from` that fit, in order of activity: reads on while that soon finds them, then looks up. */
const readByActivity = async (
  reading: ItemScan,
  request: ItemListRequest,
  from: CursorKeys,
  wanted: number,
): Promise<TextRow[]> => {
  const { pace, stream } = reading;
  const rows: TextRow[] = [];
  let place = from;
  let stride = firstStride(reading, wanted);
  for (let first = true; ; first = false) {
    const read = await readScanProbe(reading, place, stride, wanted - rows.length);
    rows.push(...read.rows);
    const limit = wanted - rows.length;
    if (limit === 0 || read.edge === null || read.edge.place === null) return rows;
    place = read.edge.place;
    const needed = rowsNeeded(read.edge, limit);
    if (needed <= pace.nearby) {
      stride = strideFor(pace, needed);
      continue;
    }
    const overdue =
      first && prefersDeadline(reading, request, read.edge)
        ? await readOverdueRows(reading, request, { place, limit })
        : null;
    if (overdue !== null) return [...rows, ...overdue];
    const chosen = chooseTerms(request, stream, read.edge);
    if (chosen !== null) return [...rows, ...(await readRowsByWalking(reading, chosen, { place, limit }))];
    stride = strideFor(pace, stride * 4);
  }
};

/**
 * The same in another order, in which matches may stand together or far apart: where they are frequent overall the
 * stream is read on, but not for ever; else all are gathered and put in order.
 */
const readSorted = async (
  reading: ItemScan,
  request: ItemListRequest,
  from: CursorKeys,
  wanted: number,
): Promise<TextRow[]> => {
  const { db, pace } = reading;
  const rows: TextRow[] = [];
  let place = from;
  const on = async (stride: number): Promise<ScanEdge | null> => {
    const read = await readScanProbe(reading, place, stride, wanted - rows.length);
    rows.push(...read.rows);
    place = read.edge?.place ?? place;
    return rows.length === wanted || read.edge?.place === null ? null : read.edge;
  };
  let edge = await on(firstStride(reading, wanted));
  if (edge !== null && rowsNeeded(edge, wanted - rows.length) <= pace.nearby * 4)
    edge = await on(strideFor(pace, pace.nearby * 4));
  if (edge === null) return rows;
  if (prefersDeadline(reading, request, edge)) {
    const overdue = await readOverdueRows(reading, request, { place, limit: wanted - rows.length });
    if (overdue !== null) return [...rows, ...overdue];
  }
  const seen = createItemScan(db, request, { stream: itemStreams.seen, descending: true, pace });
  const overall = seen === null ? edge : await readScanEdge(seen, streamStart(itemStreams.seen, true), pace.sample);
  const chosen = chooseTerms(request, itemStreams.seen, overall);
  const expected = (wanted * pace.sample) / overall.fitting;
  for (let most = pace.sortable; chosen !== null; most = unlimited) {
    if (expected * 4 > pace.farther || most === unlimited) {
      const found = await readRowsByGathering(reading, chosen, { place, limit: wanted - rows.length, most });
      if (found !== null) return [...rows, ...found];
    }
    if ((await on(strideFor(pace, Math.min(expected * 4, pace.farther)))) === null) return rows;
  }
  for (let stride = pace.farther; edge !== null; stride = strideFor(pace, stride * 4)) edge = await on(stride);
  return rows;
};

const readStream = (
  reading: ItemScan,
  request: ItemListRequest,
  from: CursorKeys,
  wanted: number,
): Promise<TextRow[]> => {
  if (reading.open.length === 0) return readItemStream(reading, from, wanted);
  return reading.stream.key === 'last_seen'
    ? readByActivity(reading, request, from, wanted)
    : readSorted(reading, request, from, wanted);
};

/** The streams that are left behind the cursor, and where each begins. */
const remainingStreams = (request: ItemListRequest): { stream: ItemStream; place: CursorKeys }[] => {
  const { after, descending } = request;
  const all = streamsForSort(request).map((stream) => ({ stream, place: streamStart(stream, descending) }));
  if (after === null) return all;
  // Of the two streams by deadline, the second one's keys hold null.
  const left = all.slice(all.length > 1 && after[0] === null ? 1 : 0);
  return left.map((each, n) => (n === 0 ? { ...each, place: after } : each));
};

/**
 * Items in the order of `sort`, ties by id in the same direction. The same statements at any depth; what they cost
 * does not grow with the table (docs/performance.md).
 */
export const listItems = async (
  db: Db | Tx,
  asked: ItemListRequest,
  pace: ItemScanLimits = defaultItemScanLimits,
): Promise<ItemPage> => {
  const request = normalizeRequest(asked);
  const rows: TextRow[] = [];
  for (const { stream, place } of remainingStreams(request)) {
    if (rows.length > request.limit) break;
    const reading = createItemScan(db, request, { stream, descending: request.descending, pace });
    if (reading !== null) rows.push(...(await readStream(reading, request, place, request.limit + 1 - rows.length)));
  }
  if (rows.length <= request.limit) return { rows, next: null };
  const page = rows.slice(0, request.limit);
  const last = page.at(-1) ?? [];
  const key = last.at(-1) ?? null;
  return { rows: page, next: [key === null || request.sort === 'title' ? key : Number(key), last[0] ?? ''] };
};
