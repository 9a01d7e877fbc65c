/** How many items fit a request, exactly up to a number that is quickly counted: for `count=1` of `GET /items`. */
import { limits } from '../../catalogue/limits.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { ask, at, readEdge, readingOf, startOf, strideFor, usualPace, type Pace, type Reading } from './reading.ts';
import { normalised, type CountRequest } from './request.ts';
import { chooseTerms } from './search.ts';
import { countPlain, countWalk } from './statements.ts';
import { seenStream, streams } from './streams.ts';

const most = limits.countExact + 1;
/** Where a fifth fits, counting in a stream is quicker than looking terms up. */
const dense = 1 / 5;

const first = async (rows: Promise<readonly (readonly (string | null)[])[]>): Promise<number> => Number((await rows)[0]?.[0] ?? '0');

const countOpen = async (reading: Reading, request: CountRequest): Promise<number> => {
  let place = startOf(reading.stream, true);
  let count = 0;
  const sample = strideFor(reading.pace, 1);
  for (let stride = sample; count < most; stride = strideFor(reading.pace, stride * 4)) {
    const edge = await readEdge(reading, place, stride);
    count += edge.fitting;
    if (edge.place === null) return count;
    place = edge.place;
    const chosen = stride > sample || edge.fitting >= sample * dense ? null : chooseTerms(request, reading.stream, edge);
    if (chosen === null) continue;
    const { db, values } = reading;
    return count + (await first(ask({ db, values: { ...values, ...chosen } }, countWalk(reading.stream), { ...at(place), limit: most })));
  }
  return count;
};

/** Up to `limits.countExact` + 1, which stands for any larger number. */
export const countItems = async (db: Db | Tx, asked: CountRequest, pace: Pace = usualPace): Promise<number> => {
  const request = normalised(asked);
  const byDeadline = readingOf(db, request, { stream: streams.due, descending: true, pace });
  if (byDeadline === null) return 0;
  const reading = request.overdue === true && byDeadline.open.length === 0 ? byDeadline : readingOf(db, request, { stream: seenStream(request), descending: true, pace });
  if (reading === null) return 0;
  if (reading.open.length > 0) return Math.min(most, await countOpen(reading, request));
  return first(ask(reading, countPlain({ ...reading, rows: most }), at(startOf(reading.stream, true))));
};
