/** Finds the position of the stream at a time. Used by changes.ts. */
import type { Db } from '../../shared/platform/db/knex.ts';
import { queryRow, statement } from '../../shared/platform/db/sql.ts';

/**
 * ms by which times may be out of the order of positions: a time is that of a process's clock before it commits, and a position
 * is given afterwards.
 */
const disorderMs = 60_000;

const firstAfterSql = statement(
  'live.firstAfter',
  'select position, at from stream where env = $1 and position > $2 order by position limit 1',
);

/** Returns the time from which on all messages are kept; null: none has been deleted, or none is left. */
export const keptSince = async (
  db: Db,
  env: number,
  { trimmed }: { readonly trimmed: number },
): Promise<number | null> => {
  if (trimmed === 0) return null;
  const first = await queryRow<{ position: number; at: number }>(db, firstAfterSql, [env, trimmed]);
  return first === undefined ? null : first.at + disorderMs;
};

/** Returns a position up to which nothing came at `at` or later; what follows it may be older too. */
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
    // All messages before one that is so much older are older than `at`.
    if (row === undefined || row.at >= at - disorderMs) high = middle;
    else low = row.position;
  }
  return low;
};
