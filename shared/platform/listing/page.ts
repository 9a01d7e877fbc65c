/** Pages: one row more than the page is read, which shows whether there is a next page. Those of large rows, such as changes of a flag with its targets, end by bytes. */

/** Returns up to `wanted` rows of the streams, one stream after the other; `read` returns up to `wanted` rows of one. */
export const readStreams = async <S, R>(
  streams: readonly S[],
  wanted: number,
  read: (stream: S, wanted: number) => Promise<readonly R[]>,
): Promise<R[]> => {
  const rows: R[] = [];
  for (const stream of streams) {
    if (rows.length >= wanted) break;
    rows.push(...(await read(stream, wanted - rows.length)));
  }
  return rows;
};

interface CutPage<R> {
  readonly page: readonly R[];
  /** The row that the next page begins behind; null: there is no next page. */
  readonly last: R | null;
}

/** Cuts a page of `limit` rows from `limit` + 1 that were requested. */
export const cutPage = <R>(found: readonly R[], limit: number): CutPage<R> => {
  const page = found.slice(0, limit);
  return { page, last: found.length > limit ? (page.at(-1) ?? null) : null };
};

/** Milliseconds after which a page is answered as it is. */
const visiblePageMs = 250;

interface VisiblePageOptions<R, K> {
  /** Where the page begins. */
  readonly from: K;
  readonly limit: number;
  /** Returns the next rows behind a position, at most `wanted`. */
  readonly read: (from: K, wanted: number) => Promise<readonly R[]>;
  readonly positionOf: (row: R) => K;
  /** Returns whether `read` ended with this row because the rows are large: then a page that has any ends there, however short. */
  readonly isCutBehind?: (row: R) => boolean;
  readonly pageMs?: number;
}

interface VisiblePage<S, K> {
  readonly page: S[];
  /** The position that the next page begins behind; null: nothing that is shown comes after it. */
  readonly next: K | null;
}

/**
 * Returns a page of what `show` makes of the rows, reading on past those for which it returns null. There is a next page only
 * if it shows something, as another one would disclose that there are hidden rows; but reading on ends after `pageMs`, with a
 * short page and the position that was reached, so that no number of hidden rows makes it long.
 */
export const readVisiblePage = async <R, S, K>(
  { from, limit, read, positionOf, isCutBehind = () => false, pageMs = visiblePageMs }: VisiblePageOptions<R, K>,
  show: (row: R) => S | null,
): Promise<VisiblePage<S, K>> => {
  const startedAt = performance.now();
  const page: S[] = [];
  let last = from;
  let isFull = false;
  for (let place = from; ;) {
    const found = await read(place, limit + 1);
    for (const row of found) {
      place = positionOf(row);
      const shown = show(row);
      if (shown === null) continue;
      if (isFull || page.length === limit) return { page, next: last };
      page.push(shown);
      last = place;
    }
    const end = found.at(-1);
    if (end !== undefined && isCutBehind(end)) isFull = page.length > 0;
    else if (found.length <= limit) return { page, next: null };
    if (performance.now() - startedAt >= pageMs) return { page, next: place };
  }
};

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
