/**
 * One page of stored records in any order, under any filters: read on in the order's stream while that soon finds what
 * fits, else gathered by the rarest terms or range and sorted. Called by read.ts, related.ts and search.ts.
 */
import type { Db, Tx } from '../../platform/db/knex.ts';
import { filterJsonPath } from '../filters.ts';
import type { RawRecord } from '../queries.ts';
import { termQueries } from '../terms.ts';
import { gatherRecords, keyRanges } from './gather.ts';
import {
  queryRecordScan,
  positionValues,
  toRecordStreamShape,
  defaultRecordScanLimits,
  type FoundRecord,
  type RecordListRequest,
  type RecordScanLimits,
  type RecordPosition,
  type RecordScan,
} from './scan.ts';
import { recordStreamStatement, recordProbeStatement, type RecordStreamName } from './statements.ts';

/** How many rows were read and how many fit, and the keys of the last one; id null: the stream ended. */
type RecordScanEdge = readonly [
  read: number,
  fitting: number,
  id: string | null,
  k1: string | number | null,
  k2: string | null,
];

/** Up to `wanted` records behind a place. */
const readStream = async (reading: RecordScan, from: RecordPosition | null, wanted: number): Promise<FoundRecord[]> => {
  const { strides, nearby } = reading.pace;
  const { path, query } = reading.values;
  if (path === null && query === null)
    return queryRecordScan<FoundRecord>(reading, recordStreamStatement(toRecordStreamShape(reading, from)), {
      ...positionValues(from),
      limit: wanted,
    });
  const found: FoundRecord[] = [];
  let place = from;
  let [read, fitting] = [0, 0];
  let gathers = true;
  for (let step = 0; ;) {
    const stride = strides[step] ?? strides[3];
    const answered = await queryRecordScan<FoundRecord & { edge: RecordScanEdge | null }>(
      reading,
      recordProbeStatement(toRecordStreamShape(reading, place), stride),
      { ...positionValues(place), limit: wanted - found.length },
    );
    found.push(...answered.filter(({ edge }) => edge === null));
    const edge = answered.find((each) => each.edge !== null)?.edge ?? null;
    if (found.length >= wanted || edge === null || edge[2] === null) return found;
    place = [reading.stream === 'absent' ? 1 : 0, edge[3], edge[4], edge[2]];
    read += edge[0];
    fitting += edge[1];
    const expected = ((wanted - found.length) * read) / Math.max(fitting, 0.5);
    if (gathers && expected > nearby) {
      const rest = await gatherRecords(reading, place, wanted - found.length, step > 0);
      if (rest !== null) return [...found, ...rest];
      gathers = step === 0;
    }
    if (step < strides.length - 1) step += 1;
  }
};

/** Ops that a record without the field fulfils. */
const absentOps = ['ne', 'nin', 'exists'];

const recordStreamsFor = ({ order: { by }, clauses }: RecordListRequest): readonly RecordStreamName[] => {
  if (by.kind !== 'field') return [by.kind];
  return clauses.some(({ field, op }) => field === by.field && !absentOps.includes(op))
    ? ['present']
    : ['present', 'absent'];
};

interface StoredRecordPage {
  readonly records: readonly RawRecord[];
  /** null: there are no more. */
  readonly next: RecordPosition | null;
}

export const listStoredRecords = async (
  db: Db | Tx,
  request: RecordListRequest,
  pace: RecordScanLimits = defaultRecordScanLimits,
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
  const found: (FoundRecord & { absent: number })[] = [];
  for (const stream of recordStreamsFor(request)) {
    const absent = stream === 'absent' ? 1 : 0;
    if (found.length > limit || (after !== null && after[0] > absent)) continue;
    const from = after !== null && after[0] === absent ? after : null;
    found.push(
      ...(await readStream({ db, request, stream, pace, values }, from, limit + 1 - found.length)).map((each) => ({
        ...each,
        absent,
      })),
    );
  }
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    records: found
      .slice(0, limit)
      .map(({ id, title, subtitle, fields, updatedAt }) => ({ resource, id, title, subtitle, fields, updatedAt })),
    next: last === undefined ? null : [last.absent, last.k1, last.k2, last.id],
  };
};
