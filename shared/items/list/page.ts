/** One page of items, in any sort, under any filters: called by routes/items.ts, by blocks and by MCP. */
import type { Db, Tx } from '../../db/knex.ts';
import type { TextRow } from '../../db/sql.ts';
import { readEdge, readPlain, readProbe, readingOf, startOf, strideFor, usualPace, type Pace, type Reading } from './reading.ts';
import { normalised, type Keys, type ListRequest } from './request.ts';
import { search } from './search.ts';
import { streamsOf, type Stream } from './streams.ts';

export interface Page {
  /** Rows of `itemColumns`, with one further column behind them. */
  readonly rows: readonly TextRow[];
  /** null: there are no more. */
  readonly next: Keys | null;
}

const anyNumber = 2_000_000_000;

/** Up to `wanted` rows of one stream that fit, in order. */
const readStream = async (reading: Reading, request: ListRequest, from: Keys, wanted: number): Promise<TextRow[]> => {
  if (reading.open.length === 0) return readPlain(reading, from, wanted);
  const { pace } = reading;
  const rows: TextRow[] = [];
  let place = from;
  let most = pace.sortable;
  // The first stride does where one row in ten fits.
  for (let stride = strideFor(pace, wanted * 9); ;) {
    rows.push(...(await readProbe(reading, place, stride, wanted - rows.length)));
    const missing = wanted - rows.length;
    if (missing === 0) return rows;
    const edge = await readEdge(reading, place, stride);
    if (edge.place === null) return rows;
    place = edge.place;
    const needed = (stride * missing * 1.25) / edge.fitting;
    if (needed <= pace.nearby) {
      stride = strideFor(pace, needed);
      continue;
    }
    const found = await search(reading, request, edge, { place, limit: missing, most });
    if (found !== null) return [...rows, ...found];
    stride = strideFor(pace, stride * 8);
    most = anyNumber;
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
