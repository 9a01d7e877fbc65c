/** Ends the time for which environments keep what has ended: rows of one environment, or whole months. Used by the sweep endedRows. */
import type { EndedKind } from '../../catalogue/retention.ts';
import type { Db } from '../db/knex.ts';
import { queryRow, queryRows, statement } from '../db/sql.ts';

const dayMs = 86_400_000;

/** Rows that one statement deletes. */
const batchRows = 500;

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
