/**
 * The request for a list of stored records, the strides that it is read by, and its statements with their parameters.
 * Used by records/list/, and by read.ts and search.ts of records/.
 */
import type { Db, Tx } from '../../platform/db/knex.ts';
import { type NamedValues, queryNamedRows } from '../../platform/db/sql.ts';
import {
  gatheredRows,
  parseEdge,
  splitProbe,
  type Probe,
  type RowFormat,
  type ScanEdge,
  type ScanKey,
  type ScanLimits,
} from '../../platform/listing/scan.ts';
import type { FilterClause, RecordOrder } from '../filters.ts';
import type { RawRecord } from '../queries.ts';
import {
  gatherRangeStatement,
  gatherTermsStatement,
  recordKeyColumns,
  recordProbeStatement,
  recordStreamStatement,
  type RecordStreamName,
  type RecordStreamShape,
} from './statements.ts';

/** Where a page ends: 1 among records without the sorted field, else 0; the two keys, and the id. */
export type RecordPosition = readonly [absent: number, key1: string | number | null, key2: string | null, id: string];

export interface RecordListRequest {
  readonly env: number;
  readonly resource: string;
  readonly clauses: readonly FilterClause[];
  /** Words, or the beginning of an id; null: no search. */
  readonly text: string | null;
  readonly order: RecordOrder;
  readonly after: RecordPosition | null;
  readonly limit: number;
  /** Fields whose values are among the terms. */
  readonly equalityFields: readonly string[];
  /** Numeric fields that have keys. */
  readonly rangeFields: readonly string[];
}

export interface RecordScanLimits extends ScanLimits {
  /** More rows of a range of keys are not gathered. */
  readonly rangeMost: number;
}

/** The longest strides are only reached by what is rare and has no index. */
export const defaultRecordScanLimits: RecordScanLimits = {
  strides: [1_024, 4_096, 16_384, 131_072],
  nearby: 8_192,
  gatherMost: 20_000,
  rangeMost: 5_000,
  sampleRows: 1_000,
};

export interface FoundRecord extends RawRecord {
  readonly k1: string | number | null;
  readonly k2: string | null;
}

/** Rows of a probe have `edge`, rows of gathered matches `n`, the number of matches. */
type ScannedRecord = FoundRecord & { readonly edge?: string | null; readonly n?: number };

export interface RecordScan {
  readonly db: Db | Tx;
  readonly request: RecordListRequest;
  readonly stream: RecordStreamName;
  readonly scanLimits: RecordScanLimits;
  /** Parameters of all statements; without a place. */
  readonly values: NamedValues;
}

const recordRows: RowFormat<ScannedRecord> = {
  // The outer join leaves a row without a record null.
  isFound: ({ id }: { readonly id: string | null }) => id !== null,
  edge: ({ edge = null }) => edge,
  matches: ({ n = 0 }) => n,
};

const positionValues = (place: RecordPosition | null): NamedValues =>
  place === null ? {} : { key1: place[1], key2: place[2], id: place[3] };

const toShape = ({ stream, request }: RecordScan, place: RecordPosition | null): RecordStreamShape => ({
  stream,
  descending: request.order.descending,
  behind: place !== null,
  numeric: request.order.by.kind === 'field' && request.rangeFields.includes(request.order.by.field),
});

/** Returns the place of a row from its keys and id. */
const toPosition = ({ stream }: RecordScan, [key1 = null, key2 = null, id]: readonly ScanKey[]): RecordPosition => [
  stream === 'absent' ? 1 : 0,
  key1,
  key2 === null ? null : String(key2),
  String(id),
];

/** Returns the next `limit` rows of the stream, where nothing is filtered. */
export const readRecordStream = (
  scan: RecordScan,
  place: RecordPosition | null,
  limit: number,
): Promise<FoundRecord[]> =>
  queryNamedRows(scan.db, recordStreamStatement(toShape(scan, place)), {
    ...scan.values,
    ...positionValues(place),
    limit,
  });

/** Returns those that fit among the first `rows` records by id, at most `$limit`. */
export const probeRecordsById = async (db: Db | Tx, values: NamedValues, rows: number): Promise<readonly RawRecord[]> =>
  splitProbe(
    await queryNamedRows<ScannedRecord>(
      db,
      recordProbeStatement({ stream: 'id', descending: false, behind: false }, rows),
      values,
    ),
    recordRows,
  ).rows;

/** Reads a stride for `StreamReader`. */
export const probeRecords = async (
  scan: RecordScan,
  place: RecordPosition | null,
  rows: number,
  limit: number,
): Promise<Probe<FoundRecord, ScanEdge<RecordPosition | null>>> => {
  const values = { ...scan.values, ...positionValues(place), limit };
  const found = await queryNamedRows<ScannedRecord>(scan.db, recordProbeStatement(toShape(scan, place), rows), values);
  const probe = splitProbe(found, recordRows);
  if (probe.edge === null) return { rows: probe.rows, edge: null };
  const { last, fitting } = parseEdge(probe.edge, recordKeyColumns.length);
  return { rows: probe.rows, edge: { rows, fitting, place: last === null ? null : toPosition(scan, last) } };
};

/** How the matches are found: by a tsquery, or by a range of a field's keys. */
type RecordMatches =
  | { readonly terms: string }
  | { readonly rangeField: string; readonly least: number; readonly most: number };

/** Returns the first `limit` rows of the stream behind a place, if at most `gatherMost` match; else null. */
export const readGatheredRecords = async (
  scan: RecordScan,
  place: RecordPosition | null,
  limit: number,
  matches: RecordMatches,
): Promise<FoundRecord[] | null> => {
  const { gatherMost } = scan.scanLimits;
  const shape = toShape(scan, place);
  const asked = 'terms' in matches ? gatherTermsStatement(shape, gatherMost) : gatherRangeStatement(shape, gatherMost);
  const values = { ...scan.values, ...positionValues(place), ...matches, limit };
  return gatheredRows(await queryNamedRows<ScannedRecord>(scan.db, asked, values), gatherMost, recordRows);
};
