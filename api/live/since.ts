/** Finds the position of the stream at a time. Used by changes.ts. */
import type { Db } from '../../shared/platform/db/knex.ts';
import { queryRow, statement } from '../../shared/platform/db/sql.ts';

const firstAfterSql = statement(
  'live.firstAfter',
  'select position, at from stream where env = $1 and position > $2 order by position limit 1',
);

/** Returns when the oldest message came that is kept; null: none has been deleted, or none is left. */
export const firstKeptAt = async (
  db: Db,
  env: number,
  { trimmed }: { readonly trimmed: number },
): Promise<number | null> =>
  trimmed === 0
    ? null
    : ((await queryRow<{ position: number; at: number }>(db, firstAfterSql, [env, trimmed]))?.at ?? null);

/** Returns the last position of which nothing came at `at` or later. Positions follow their times, so that halving finds it. */
export const positionBefore = async (
  db: Db,
  env: number,
  { trimmed, position: newest }: { readonly trimmed: number; readonly position: number },
  at: number,
): Promise<number> => {
  let low = trimmed;
  let high = newest;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await queryRow<{ position: number; at: number }>(db, firstAfterSql, [env, middle]);
    if (row === undefined || row.at >= at) high = middle;
    else low = row.position;
  }
  return low;
};
