/** Moves rows that have ended from the table of the unfinished to one of months, in batches. Used by the sweep endedRows. */
import { limits } from '../../catalogue/limits.ts';
import type { EndedKind } from '../../catalogue/retention.ts';
import type { Db } from '../db/knex.ts';
import { queryRow, queryRows, statement, type Statement } from '../db/sql.ts';
import { idAt, type IdPrefix } from '../ids.ts';
import { lockMoves } from './movesLock.ts';

/** Rows of one statement: some 20 ms, for which it locks only them. */
export const batchRows = 500;

/** How the rows of a kind move. */
export interface EndedRows {
  readonly kind: EndedKind;
  readonly prefix: IdPrefix;
  /** Returns the next `batchRows` ids after $1 and below $2, in order, of what has ended before $3 in epoch ms. */
  readonly find: Statement;
  /** Moves those of the ids $1 that have ended before $2 and that nothing unfinished needs. */
  readonly move: Statement;
}

const beginSql = statement('ended.begin', 'select begin_at as at from ended_moves');
const prepareSql = statement('ended.prepare', 'select prepare_ended_months($1, $2)');

/** Returns whether rows may move: not before releases that don't know of the months have gone. */
export const mayMove = async (db: Db, now: number): Promise<boolean> => {
  const begin = await queryRow<{ at: number }>(db, beginSql);
  return begin !== undefined && begin.at <= now;
};

/**
 * Moves up to `batches` batches, from the id `after` on, which is '' for the first of all. Returns the `after` of the next turn, which goes
 * on behind what stays, so that however many rows stay none of those behind them waits for ever.
 */
export const moveEnded = async (
  db: Db,
  { kind, prefix, find, move }: EndedRows,
  now: number,
  { after, batches }: { readonly after: string; readonly batches: number },
): Promise<string> => {
  const endedBefore = now - limits.endedRowsMs;
  let last = after;
  for (let batch = 0; batch < batches; batch += 1) {
    const found = await queryRows<{ id: string }>(db, find, [last, idAt(prefix, endedBefore), endedBefore]);
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) {
      await queryRow(db, prepareSql, [kind, ids]);
      await db.transaction(async (tx) => {
        await lockMoves(tx);
        await queryRows(tx, move, [ids, endedBefore]);
      });
    }
    if (ids.length < batchRows) return '';
    last = ids.at(-1) ?? '';
  }
  return last;
};
