/** Moves rows that have ended from the table of the unfinished to one of months, and deletes them when their time there is over. Used by the sweep endedRows. */
import { limits } from '../../catalogue/limits.ts';
import type { EndedKind } from '../../catalogue/retention.ts';
import type { Db, Tx } from '../db/knex.ts';
import { type Statement, queryRow, queryRows, statement } from '../db/sql.ts';
import { type IdPrefix, idAt } from '../ids.ts';

/** The lock under which ended rows move, for statements that have to find a row in one table or in the other: any number that nothing else in this database locks. */
const lockNumber = 4_920_734;

const lockSql = statement('ended.lock', `select pg_advisory_xact_lock(${String(lockNumber)})`);

/** Waits for the lock, which the transaction keeps until its end: the statements after it see what has moved until then. */
export const lockMoves = async (tx: Tx): Promise<void> => {
  await queryRow(tx, lockSql);
};

/** Rows that one statement moves or deletes: some 20 ms, for which it locks only them. */
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

const dayMs = 86_400_000;

interface Retention {
  readonly env: number;
  /** 0: for ever. */
  readonly days: number;
}

const retentionsSql = statement(
  'ended.retentions',
  `
  select e.id as env, coalesce(r.days, 0) as days from environments e left join retentions r on r.env = e.id and r.kind = $1`,
);
const deleteSql = statement('ended.delete', 'select delete_past_ended($1, $2, $3, $4) as n');
const dropSql = statement('ended.drop', 'select drop_past_ended_months($1, $2) as n');

/** Returns whether another environment keeps them longer: the one that keeps them longest waits until their months are dropped. */
const isShorter = ({ days }: Retention, all: readonly Retention[]): boolean =>
  days > 0 && all.some((other) => other.days === 0 || other.days > days);

/** Deletes or drops the rows of a kind that are kept no longer. Returns how many months were dropped. */
export const expireEnded = async (db: Db, kind: EndedKind, now: number): Promise<number> => {
  const all = await queryRows<Retention>(db, retentionsSql, [kind]);
  if (!all.some(({ days }) => days > 0)) return 0;
  for (const { env, days } of all.filter((one) => isShorter(one, all))) {
    const values = [kind, env, now - days * dayMs, batchRows];
    while (((await queryRow<{ n: number }>(db, deleteSql, values))?.n ?? 0) === batchRows);
  }
  // Each call drops one at most, and keeps the table locked from then on to its end.
  let dropped = 0;
  while (((await queryRow<{ n: number }>(db, dropSql, [kind, now]))?.n ?? 0) > 0) dropped += 1;
  return dropped;
};
