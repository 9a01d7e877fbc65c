/** Pages: one row more than the page is read, which shows whether there is a next page. */

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

export interface CutPage<R> {
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
