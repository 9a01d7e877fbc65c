/** What reading one list takes: the request, by which steps it is read, and its statements with their parameters. */
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRows, type SqlValue } from '../../platform/db/sql.ts';
import { statementValues, type NamedStatement } from '../../platform/db/namedStatement.ts';
import type { FilterClause, RecordOrder } from '../filters.ts';
import type { RawRecord } from '../queries.ts';
import type { RecordStreamShape, RecordStreamName } from './statements.ts';

/** Where a page ended: whether among records without the field, two keys, and the id. */
export type RecordPosition = readonly [absent: number, key1: string | number | null, key2: string | null, id: string];

export interface RecordListRequest {
  readonly env: number;
  readonly resource: string;
  readonly clauses: readonly FilterClause[];
  /** Words or the beginning of an id; null: none. */
  readonly text: string | null;
  readonly order: RecordOrder;
  readonly after: RecordPosition | null;
  readonly limit: number;
  /** Fields whose values are among the terms. */
  readonly equalityFields: readonly string[];
  /** Numeric fields that have keys. */
  readonly rangeFields: readonly string[];
}

/** By which steps a list is read; tests use small ones. Each number of rows is a statement of its own. */
export interface RecordScanLimits {
  /** Rows of one step; the last ones are only reached by what is rare and has no index. */
  readonly strides: readonly [number, number, number, number];
  /** Up to so many rows reading on is about as quick as gathering. */
  readonly nearby: number;
  /** More are not sorted at once: by terms, and by a range of keys. */
  readonly gatherMost: number;
  readonly rangeMost: number;
  /** Rows of which the shares of terms are learnt. */
  readonly sampleRows: number;
}

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

export interface RecordScan {
  readonly db: Db | Tx;
  readonly request: RecordListRequest;
  readonly stream: RecordStreamName;
  readonly pace: RecordScanLimits;
  readonly values: Readonly<Record<string, SqlValue>>;
}

export const queryRecordScan = <R>(
  { db, values }: Pick<RecordScan, 'db' | 'values'>,
  statement: NamedStatement,
  more: Readonly<Record<string, SqlValue>>,
): Promise<R[]> => queryRows<R>(db, statement.prepared, statementValues(statement, { ...values, ...more }));

export const positionValues = (place: RecordPosition | null): Record<string, SqlValue> =>
  place === null ? {} : { key1: place[1], key2: place[2], id: place[3] };

export const toRecordStreamShape = (
  { stream, request }: RecordScan,
  place: RecordPosition | null,
): RecordStreamShape => ({
  stream,
  descending: request.order.descending,
  behind: place !== null,
  numeric: request.order.by.kind === 'field' && request.rangeFields.includes(request.order.by.field),
});
