/**
 * The inserts into tables that statements of several domains write: the text of each is built from a source and a mapping of
 * columns to SQL expressions. Those into events and idempotency_keys stand in files of their own. A statement composes the
 * texts as CTEs; its parameters and source rows stay its own.
 */

/** An SQL expression over the source's columns and the statement's parameters. */
export type Sql = string;

/** Where the rows come from. Without `from` there is one row, of parameters. */
export interface InsertSource {
  /** A CTE of the statement, with any number of rows, or what else stands behind `from`. */
  readonly from?: Sql;
  readonly where?: Sql;
  readonly orderBy?: Sql;
  /** Leaves out rows whose key is there already; otherwise such a row undoes the whole statement. */
  readonly skipExisting?: boolean;
  readonly returning?: Sql;
}

const clause = (keyword: string, text: Sql | undefined): string => (text === undefined ? '' : ` ${keyword} ${text}`);

/** Returns the text of an insert of `values`, in the order of `columns`. Columns without a value keep their default. */
export const insertText = <Column extends string>(
  into: string,
  columns: readonly Column[],
  values: Readonly<Partial<Record<Column, Sql>>>,
  { from, where, orderBy, skipExisting = false, returning }: InsertSource,
): string => {
  const given = columns.flatMap((column) => {
    const value = values[column];
    return value === undefined ? [] : [{ column, value }];
  });
  return `${into} (${given.map(({ column }) => column).join(', ')})
    select ${given.map(({ value }) => value).join(', ')}${clause('from', from)}${clause('where', where)}${clause('order by', orderBy)}${
      skipExisting ? ' on conflict do nothing' : ''
    }${clause('returning', returning)}`;
};

/** Returns a mapping of each column to the source's column of the same name, with the source's alias before it if it has one. */
export const sameColumns = <Column extends string>(
  columns: readonly Column[],
  alias?: string,
): Readonly<Record<Column, Sql>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the mapping has a member for each of the columns
  Object.fromEntries(columns.map((column) => [column, alias === undefined ? column : `${alias}.${column}`])) as Record<
    Column,
    Sql
  >;

/** Expressions for all columns that have no default, and for any of the others. */
type InsertColumns<Required extends string, Other extends string> = Readonly<
  Record<Required, Sql> & Partial<Record<Other, Sql>>
>;

/** Returns the function that returns the text of an insert of one row for each row of the source. */
export const insertInto =
  <Required extends string, Other extends string>(
    into: string,
    required: readonly Required[],
    other: readonly Other[],
  ) =>
  (values: InsertColumns<Required, Other>, source: InsertSource = {}): string =>
    insertText<Required | Other>(into, [...required, ...other], values, source);

/**
 * Inserts a job, from which the enqueuer fills the queues. `due_at` null parks it until something sets it; `traceparent`: of the
 * request that it follows from, null when that is not traced.
 */
export const stagedJobInsert = insertInto(
  'insert into staged_jobs',
  ['id', 'env', 'name', 'payload', 'subject', 'request_id', 'due_at', 'created_at'],
  ['waits_for_app', 'traceparent'],
);
export type StagedJobColumns = Parameters<typeof stagedJobInsert>[0];

/** Messages of one row: an offset has eight bits for the place of a message in its row. */
export const messagesPerRow = 50;

/**
 * Inserts a row from which the publisher sends live messages. `id` is the event's, or drawn from the same sequence; `parts` null:
 * they stand in `stream_parts`; `deltas` and the deadlines move the inbox's counts; `whole`: `deltas` has every measure;
 * `traceparent`: of the request, if it is traced.
 */
export const outboxInsert = insertInto(
  'insert into outbox',
  ['id', 'env', 'at', 'parts'],
  ['inbox', 'deltas', 'due_from', 'due_to', 'awake_from', 'awake_to', 'whole', 'traceparent'],
);
export type OutboxColumns = Parameters<typeof outboxInsert>[0];

/** Inserts the parts of a row of the outbox, by its id. They stay while the publisher moves the row to the stream. */
export const streamPartsInsert = insertInto('insert into stream_parts', ['id', 'env', 'parts'], []);

/** Returns SQL for the parts of a row of `outbox` or `stream`: in itself where a release before 0079 may read them, else in `stream_parts`. */
export const partsOf = (row: Sql): Sql =>
  `coalesce(nullif(${row}.parts, ''), (select p.parts from stream_parts p where p.id = ${row}.id))`;

/** Inserts the result of an item of a bulk. `before` and `after` are those of the audit log: by them an undo takes the change back. */
export const bulkResultInsert = insertInto(
  'insert into bulk_results',
  ['bulk', 'seq', 'item', 'outcome', 'error', 'code'],
  ['before', 'after'],
);
