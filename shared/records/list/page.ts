/**
 * Reads one page of stored records in any order, under any filters: from the stream of that order while matches are near,
 * else gathered by the rarest terms or range and sorted. Used by records/read.ts.
 */
import type { Db, Tx } from '../../platform/db/knex.ts';
import { cutPage, readStreams } from '../../platform/listing/page.ts';
import { nextStride, rowsForWanted, StreamReader, strideFor, type ScanEdge } from '../../platform/listing/scan.ts';
import { filterJsonPath } from '../filters.ts';
import type { RawRecord } from '../queries.ts';
import { termQueries } from '../terms.ts';
import { gatherRecords, keyRanges } from './gather.ts';
import {
  defaultRecordScanLimits,
  probeRecords,
  readRecordStream,
  type FoundRecord,
  type RecordListRequest,
  type RecordPosition,
  type RecordScan,
  type RecordScanLimits,
} from './scan.ts';
import type { RecordStreamName } from './statements.ts';

/** Returns up to `wanted` records behind a place; null: from the beginning of the stream. */
const readStream = async (scan: RecordScan, from: RecordPosition | null, wanted: number): Promise<FoundRecord[]> => {
  const { scanLimits, values } = scan;
  if (values['path'] === null && values['query'] === null) return readRecordStream(scan, from, wanted);
  const reader = new StreamReader<FoundRecord, RecordPosition | null, ScanEdge<RecordPosition | null>>(
    (place, rows, limit) => probeRecords(scan, place, rows, limit),
    from,
    wanted,
  );
  const sum = { rows: 0, fitting: 0 };
  let gathers = true;
  let stride = strideFor(scanLimits, 1);
  for (let first = true; ; first = false) {
    const edge = await reader.read(stride);
    if (edge === null) return reader.rows;
    sum.rows += edge.rows;
    sum.fitting += edge.fitting;
    // Where none of the rows fit, the next one may.
    const measured = { ...sum, fitting: Math.max(sum.fitting, 0.5) };
    if (gathers && rowsForWanted(measured, reader.missing) > scanLimits.nearby) {
      const rest = await gatherRecords(scan, reader.place, reader.missing, !first);
      if (rest !== null) return [...reader.rows, ...rest];
      gathers = first;
    }
    stride = nextStride(scanLimits, stride);
  }
};

/** Ops that a record without the field may fit. */
const absentOps = ['ne', 'nin', 'exists'];

const recordStreamsFor = ({ order: { by }, clauses }: RecordListRequest): readonly RecordStreamName[] => {
  if (by.kind !== 'field') return [by.kind];
  return clauses.some(({ field, op }) => field === by.field && !absentOps.includes(op))
    ? ['present']
    : ['present', 'absent'];
};

interface StoredRecordPage {
  readonly records: readonly RawRecord[];
  /** The position of the next page; null: this is the last one. */
  readonly next: RecordPosition | null;
}

/** Returns the page of a request; its cost does not grow with the number of records (docs/performance.md). */
export const listStoredRecords = async (
  db: Db | Tx,
  request: RecordListRequest,
  scanLimits: RecordScanLimits = defaultRecordScanLimits,
): Promise<StoredRecordPage> => {
  const { env, resource, order, clauses, text, after, limit } = request;
  const field = order.by.kind === 'field' ? order.by.field : null;
  const bounds = keyRanges(request).find((range) => range.field === field);
  const values = {
    env,
    resource,
    path: filterJsonPath(clauses),
    query: text === null ? null : termQueries(env, resource).matches(text).join(' & '),
    field,
    floor: bounds?.least ?? -Number.MAX_VALUE,
    ceiling: bounds?.most ?? Number.MAX_VALUE,
  };
  const streams = recordStreamsFor(request)
    .map((stream) => ({ stream, absent: stream === 'absent' ? 1 : 0 }))
    .filter(({ absent }) => after === null || after[0] <= absent);
  const found = await readStreams(streams, limit + 1, async ({ stream, absent }, wanted) =>
    (await readStream({ db, request, stream, scanLimits, values }, after?.[0] === absent ? after : null, wanted)).map(
      (record) => ({ ...record, absent }),
    ),
  );
  const { page, last } = cutPage(found, limit);
  return {
    records: page.map(({ id, title, subtitle, fields, updatedAt }) => ({
      resource,
      id,
      title,
      subtitle,
      fields,
      updatedAt,
    })),
    next: last === null ? null : [last.absent, last.k1, last.k2, last.id],
  };
};
