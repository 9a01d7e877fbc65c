/** Moves rows that have ended from the table of the unfinished to one of months, in batches. Used by the sweep endedRows. */
import { limits } from '../../catalogue/limits.ts';
import type { EndedKind } from '../../catalogue/retention.ts';
import { idAt, type IdPrefix } from '../core/ids.ts';
import type { Db } from '../db/knex.ts';
import { queryRow, queryRows, statement, type Statement } from '../db/sql.ts';
import { lockMoves } from './movesLock.ts';

/** Rows of one statement: some 20 ms, for which it locks only them. */
export const batchRows = 500;

/** How the rows of a kind move. */
export interface EndedRows {
  readonly kind: EndedKind;
  readonly prefix: IdPrefix;
  /** Returns the next `batchRows` ids after $1 and below $2, in order, of what has ended before $3 in epoch ms. */
  readonly find: Statement;
  /** Moves those of the ids $1 that have ended before $2 and that nothing unfinished needs. Returns their ids. */
  readonly move: Statement;
}

const beginSql = statement('ended.begin', 'select begin_at as at from ended_moves');
const prepareSql = statement('ended.prepare', 'select prepare_ended_months($1, $2)');

/** Returns whether rows may move: not before releases that don't know of the months have gone. */
export const mayMove = async (db: Db, now: number): Promise<boolean> => {
  const begin = await queryRow<{ at: number }>(db, beginSql);
  return begin !== undefined && begin.at <= now;
};

/** Moves up to `batches` batches, from the id `after` on. Returns how many rows moved. */
export const moveEnded = async (
  db: Db,
  { kind, prefix, find, move }: EndedRows,
  now: number,
  batches: number,
): Promise<number> => {
  const endedBefore = now - limits.endedRowsMs;
  let moved = 0;
  let after = '';
  for (let batch = 0; batch < batches; batch += 1) {
    const found = await queryRows<{ id: string }>(db, find, [after, idAt(prefix, endedBefore), endedBefore]);
    const ids = found.map(({ id }) => id);
    const last = ids.at(-1);
    if (last === undefined) break;
    await queryRow(db, prepareSql, [kind, ids]);
    moved += await db.transaction(async (tx) => {
      await lockMoves(tx);
      return (await queryRows(tx, move, [ids, endedBefore])).length;
    });
    if (ids.length < batchRows) break;
    after = last;
  }
  return moved;
};
