/** What reading one list takes: the request, by which steps it is read, and its statements with their parameters. */
import type { Db, Tx } from '../../platform/db/knex.ts';
import { rows, type Value } from '../../platform/db/sql.ts';
import { valuesOf, type Named } from '../../platform/db/named.ts';
import type { Clause, Order } from '../filters.ts';
import type { RawRecord } from '../queries.ts';
import type { Shape, StreamName } from './statements.ts';

/** Where a page ended: whether among records without the field, two keys, and the id. */
export type Place = readonly [absent: number, key1: string | number | null, key2: string | null, id: string];

export interface ListRequest {
  readonly env: number;
  readonly resource: string;
  readonly clauses: readonly Clause[];
  /** Words or the beginning of an id; null: none. */
  readonly text: string | null;
  readonly order: Order;
  readonly after: Place | null;
  readonly limit: number;
  /** Fields whose values are among the terms. */
  readonly equal: readonly string[];
  /** Numeric fields that have keys. */
  readonly ranged: readonly string[];
}

/** By which steps a list is read; tests use small ones. Each number of rows is a statement of its own. */
export interface Pace {
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

export const usualPace: Pace = { strides: [1_024, 4_096, 16_384, 131_072], nearby: 8_192, gatherMost: 20_000, rangeMost: 5_000, sampleRows: 1_000 };

export interface Found extends RawRecord {
  readonly k1: string | number | null;
  readonly k2: string | null;
}

export interface Reading {
  readonly db: Db | Tx;
  readonly request: ListRequest;
  readonly stream: StreamName;
  readonly pace: Pace;
  readonly values: Readonly<Record<string, Value>>;
}

export const ask = <R>({ db, values }: Pick<Reading, 'db' | 'values'>, statement: Named, more: Readonly<Record<string, Value>>): Promise<R[]> => rows<R>(db, statement.prepared, valuesOf(statement, { ...values, ...more }));

export const placed = (place: Place | null): Record<string, Value> => (place === null ? {} : { key1: place[1], key2: place[2], id: place[3] });

export const shapeOf = ({ stream, request }: Reading, place: Place | null): Shape => ({
  stream,
  descending: request.order.descending,
  behind: place !== null,
  numeric: request.order.by.kind === 'field' && request.ranged.includes(request.order.by.field),
});
