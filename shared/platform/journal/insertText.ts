/**
 * Builds the text of an insert from a source and a mapping of columns to SQL expressions. Used by the other files of
 * this folder, which name the tables: they are the only inserts into events, outbox, staged_jobs, idempotency_keys and
 * bulk_results. A statement composes their texts as CTEs; its parameters and source rows stay its own.
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
