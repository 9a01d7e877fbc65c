/** Counts the items that fit a request, exactly up to `limits.countExact`. Used by `GET /items?count=1` and by blocks of items. */
import { limits } from '../../catalogue/limits.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { nextStride, strideFor } from '../../platform/listing/scan.ts';
import { normalizeRequest, type ItemCountRequest } from './request.ts';
import {
  createItemScan,
  cursorValues,
  defaultItemScanLimits,
  queryItemScan,
  readScanEdge,
  streamStart,
  type ItemScan,
  type ItemScanLimits,
} from './scan.ts';
import { chooseTerms } from './search.ts';
import { itemCountStatement, itemCountWalkStatement } from './statements.ts';
import { activityStream, itemStreams } from './streams.ts';

const countLimit = limits.countExact + 1;
/** Where at least this share of the rows fits, counting in a stream is quicker than looking terms up. */
const denseShare = 1 / 5;

const firstNumber = async (rows: Promise<readonly (readonly (string | null)[])[]>): Promise<number> =>
  Number((await rows)[0]?.[0] ?? '0');

const countByScanning = async (scan: ItemScan, request: ItemCountRequest): Promise<number> => {
  let place = streamStart(scan.stream, true);
  let count = 0;
  const sample = strideFor(scan.scanLimits, 1);
  for (let stride = sample; count < countLimit; stride = nextStride(scan.scanLimits, stride)) {
    const edge = await readScanEdge(scan, place, stride);
    count += edge.fitting;
    if (edge.place === null) return count;
    place = edge.place;
    const chosen =
      stride > sample || edge.fitting >= sample * denseShare ? null : chooseTerms(request, scan.stream, edge);
    if (chosen === null) continue;
    const { db, values } = scan;
    return (
      count +
      (await firstNumber(
        queryItemScan({ db, values: { ...values, ...chosen } }, itemCountWalkStatement(scan.stream), {
          ...cursorValues(place),
          limit: countLimit,
        }),
      ))
    );
  }
  return count;
};

/** Returns how many items fit; `limits.countExact` + 1 stands for any larger number. */
export const countItems = async (
  db: Db | Tx,
  given: ItemCountRequest,
  scanLimits: ItemScanLimits = defaultItemScanLimits,
): Promise<number> => {
  const request = normalizeRequest(given);
  const byDeadline = createItemScan(db, request, { stream: itemStreams.due, descending: true, scanLimits });
  if (byDeadline === null) return 0;
  const scan =
    request.overdue === true && byDeadline.open.length === 0
      ? byDeadline
      : createItemScan(db, request, { stream: activityStream(request), descending: true, scanLimits });
  if (scan === null) return 0;
  if (scan.open.length > 0) return Math.min(countLimit, await countByScanning(scan, request));
  return firstNumber(
    queryItemScan(
      scan,
      itemCountStatement({ ...scan, rows: countLimit }),
      cursorValues(streamStart(scan.stream, true)),
    ),
  );
};
