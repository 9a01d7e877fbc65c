/** Pages of rows that may be large, such as changes of a flag with its targets: they end by bytes. Used by lists. */
import { cutPage, type CutPage } from './page.ts';

/** Bytes of a page's rows as they are stored, compressed, after which it ends. */
const pageBytes = 512 * 1024;

export interface LargeRow {
  /** Whether more rows were found than are read, as they are large; of the last row alone. */
  readonly is_cut: boolean;
}

interface LargeRows {
  /** The name by which the rest calls the rows. */
  readonly as: string;
  readonly columns: string;
  /** The rows, with a limit. */
  readonly rows: string;
  /** Bytes of a row. */
  readonly bytes: string;
  readonly order: string;
}

/** Returns the bytes of columns as they are stored; none for null. */
export const storedBytesSql = (...columns: readonly string[]): string =>
  columns.map((column) => `coalesce(pg_column_size(${column}), 0)`).join(' + ');

/** Returns the SQL of rows in their order up to the one with which they exceed the bytes of a page, at least one. */
export const largeRowsSql = ({ as, columns, rows, bytes, order }: LargeRows): string => `
  select ${columns}, ${as}.is_cut from (
    select ${as}.*, sum(${as}.row_bytes) over before - ${as}.row_bytes as bytes_before,
      sum(${as}.row_bytes) over before > ${String(pageBytes)} and lead(true) over before is not null as is_cut
    from (select ${as}.*, ${bytes} as row_bytes from (${rows}) ${as}) ${as} window before as (order by ${order})) ${as}
  where ${as}.bytes_before <= ${String(pageBytes)} order by ${order}`;

/** Cuts a page of `limit` rows from `limit` + 1 that were requested, of which fewer were read where they are large. */
export const cutLargePage = <R extends LargeRow>(found: readonly R[], limit: number): CutPage<R> => {
  const end = found.at(-1);
  return found.length <= limit && end?.is_cut === true ? { page: found, last: end } : cutPage(found, limit);
};
