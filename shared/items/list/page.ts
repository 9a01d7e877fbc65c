/** One page of items, in any sort, under any filters: called by routes/items.ts, by blocks and by MCP. */
import type { Db, Tx } from '../../db/knex.ts';
import type { TextRow } from '../../db/sql.ts';
import { readPlain, readProbe, readingOf, startOf, strideFor, usualPace, type Pace, type Reading } from './reading.ts';
import { normalised, type Keys, type ListRequest } from './request.ts';
import { lookUp } from './search.ts';
import { streamsOf, type Stream } from './streams.ts';

export interface Page {
  /** Rows of `itemColumns`, with further columns behind them. */
  readonly rows: readonly TextRow[];
  /** null: there are no more. */
  readonly next: Keys | null;
}

/**
 * Up to `wanted` rows of one stream that fit, in order. The stream is read on while that is likely to find them soon,
 * then terms are looked up; when there are too many matches to put in order, the stream is read further than that.
 */
const readStream = async (reading: Reading, request: ListRequest, from: Keys, wanted: number): Promise<TextRow[]> => {
  if (reading.open.length === 0) return readPlain(reading, from, wanted);
  const { pace, stream } = reading;
  const nearby = pace.nearby[stream.key === 'last_seen' ? 0 : 1];
  const rows: TextRow[] = [];
  let place = from;
  let again = false;
  // The first stride does where one row in ten fits.
  for (let stride = strideFor(pace, wanted * 9); ;) {
    const read = await readProbe(reading, place, stride, wanted - rows.length);
    rows.push(...read.rows);
    const missing = wanted - rows.length;
    if (read.edge === null || read.edge.place === null || missing === 0) return rows;
    place = read.edge.place;
    const needed = (stride * missing * 1.25) / read.edge.fitting;
    if (needed <= nearby) {
      stride = strideFor(pace, needed);
      continue;
    }
    const found = await lookUp(reading, request, read.edge, { place, limit: missing, again });
    if (found !== null) return [...rows, ...found];
    again = true;
    stride = strideFor(pace, Math.max(stride, nearby) * 4);
  }
};

/** The streams that are left behind the cursor, and where each begins. */
const placesOf = (request: ListRequest): { stream: Stream; place: Keys }[] => {
  const { after, descending } = request;
  const all = streamsOf(request).map((stream) => ({ stream, place: startOf(stream, descending) }));
  if (after === null) return all;
  // Of the two streams by deadline, the second one's keys hold null.
  const left = all.slice(all.length > 1 && after[0] === null ? 1 : 0);
  return left.map((each, n) => (n === 0 ? { ...each, place: after } : each));
};

/**
 * Items in the order of `sort`, ties by id in the same direction. The same statements at any depth; what they cost
 * does not grow with the table (docs/performance.md).
 */
export const listItems = async (db: Db | Tx, asked: ListRequest, pace: Pace = usualPace): Promise<Page> => {
  const request = normalised(asked);
  const rows: TextRow[] = [];
  for (const { stream, place } of placesOf(request)) {
    if (rows.length > request.limit) break;
    const reading = readingOf(db, request, { stream, descending: request.descending, pace });
    if (reading !== null) rows.push(...(await readStream(reading, request, place, request.limit + 1 - rows.length)));
  }
  if (rows.length <= request.limit) return { rows, next: null };
  const page = rows.slice(0, request.limit);
  const last = page.at(-1) ?? [];
  const key = last.at(-1) ?? null;
  return { rows: page, next: [key === null || request.sort === 'title' ? key : Number(key), last[0] ?? ''] };
};
