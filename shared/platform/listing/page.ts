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
