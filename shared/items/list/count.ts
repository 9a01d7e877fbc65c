/** Counts the items that fit a request, exactly up to `limits.countExact`. Used by `GET /items?count=1` and by blocks of items. */
import { limits } from '../../catalogue/limits.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { nextStride, strideFor } from '../../platform/listing/scan.ts';
import { normalizeRequest, type CursorKeys, type ItemCountRequest, type ItemFilterName } from './request.ts';
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
import { chooseSource, chooseTermsWhenSparse, contentLookups, isRareContent } from './search.ts';
import { candidateFitStatement } from './sources.ts';
import { itemCountContentsStatement, itemCountStatement, itemCountWalkStatement } from './statements.ts';
import { activityStream, itemStreams, type ItemStream } from './streams.ts';

const countLimit = limits.countExact + 1;

const firstNumber = async (rows: Promise<readonly (readonly (string | null)[])[]>): Promise<number> =>
  Number((await rows)[0]?.[0] ?? '0');

/** Returns how many of the few candidates of a source fit; null: there is no source with few. */
const countFewRows = async (scan: ItemScan, request: ItemCountRequest): Promise<number | null> => {
  const source = await chooseSource(scan, request, scan.scanLimits.gatherMost);
  return source === null
    ? null
    : firstNumber(queryItemScan(scan, candidateFitStatement(source), { limit: countLimit }));
};

/** Counts what is behind a place and found by its contents. */
const countByContents = async (scan: ItemScan, request: ItemCountRequest, place: CursorKeys): Promise<number> => {
  const [values = scan.values] = await contentLookups(scan, request, place, Infinity);
  const statement = itemCountContentsStatement(scan.stream);
  return firstNumber(queryItemScan({ db: scan.db, values }, statement, { ...cursorValues(place), limit: countLimit }));
};

const isOnly = ({ open }: ItemScan, filter: ItemFilterName): boolean => open.every((name) => name === filter);

const countByScanning = async (scan: ItemScan, request: ItemCountRequest): Promise<number> => {
  let place = streamStart(scan.stream, request, true);
  let count = 0;
  const sample = strideFor(scan.scanLimits, 1);
  for (let stride = sample; count < countLimit; stride = nextStride(scan.scanLimits, stride)) {
    const edge = await readScanEdge(scan, place, stride);
    count += edge.fitting;
    if (edge.place === null) return count;
    place = edge.place;
    if (stride === sample && (isRareContent(scan, edge) || isOnly(scan, 'contents')))
      return count + (await countByContents(scan, request, place));
    const chosen = stride > sample ? null : chooseTermsWhenSparse(request, scan.stream, edge);
    if (chosen === null) continue;
    const { db, values } = scan;
    return (
      count +
      (await firstNumber(
        queryItemScan({ db, values: { ...values, ...chosen.values } }, itemCountWalkStatement(scan.stream), {
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
  const scanOf = (stream: ItemStream): ItemScan | null =>
    createItemScan(db, request, { stream, descending: true, scanLimits });
  const [byDeadline, byPriority] = [scanOf(itemStreams.due), scanOf(itemStreams.priority)];
  if (byDeadline === null || byPriority === null) return 0;
  const scan =
    request.overdue === true && byDeadline.open.length === 0
      ? byDeadline
      : request.priority !== null && byPriority.open.length === 0
        ? byPriority
        : scanOf(activityStream(request));
  if (scan === null) return 0;
  const few = scan.open.length === 0 ? null : await countFewRows(scan, request);
  if (few !== null) return few;
  if (scan.open.length > 0) return Math.min(countLimit, await countByScanning(scan, request));
  return firstNumber(
    queryItemScan(
      scan,
      itemCountStatement({ ...scan, rows: countLimit }),
      cursorValues(streamStart(scan.stream, request, true)),
    ),
  );
};
