/** Ends the time for which results of bulks are kept: counts into the bulk's row, then rows or whole months away. Used by a sweep. */
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { lockMoves } from '../platform/ended/moveEnded.ts';
import { idAt } from '../platform/ids.ts';

const dayMs = 86_400_000;

/** Bulks that one statement looks at. */
const batchBulks = 500;

interface Retention {
  readonly env: number;
  /** 0: for ever. */
  readonly days: number;
  /** Of bulks below this id no results are shown any more; of those below `deleted` none are there. */
  readonly gone: string;
  readonly deleted: string;
}

const insertRetentionsSql = statement(
  'retention.make',
  `
  insert into retentions (env, kind) select id, 'bulkResults' from environments e
  where not exists (select from retentions r where r.env = e.id and r.kind = 'bulkResults') on conflict do nothing`,
);
const retentionsSql = statement(
  'retention.read',
  `select env, coalesce(days, $1::int) as days, gone_before as gone, deleted_before as deleted from retentions where kind = 'bulkResults'`,
);

/**
 * Goes on over the bulks from the first that may still have results to the first of the environment that has to keep them: one
 * that is unfinished, finished too late, or that an unfinished undo needs. Counts stay in the rows of bulks that it passes.
 */
const passSql = statement(
  'retention.pass',
  `
  with seen as (
    select id, env, finished_at from all_bulks where id >= $2 and id < $3 order by id limit ${String(batchBulks)}
  ), keeps as (
    select min(s.id) as id from seen s
    where s.env = $1 and (s.finished_at is null or s.finished_at >= $4
      or s.id in (select u.undo_of from bulks u where u.finished_at is null and u.undo_of is not null))
  ), passing as (
    select s.id, c.* from seen s cross join keeps k cross join lateral (
      select coalesce(sum(changed), 0)::int as changed, coalesce(sum(unchanged), 0)::int as unchanged, coalesce(sum(failed), 0)::int as failed
      from bulk_chunks where bulk = s.id
    ) c
    where s.env = $1 and (k.id is null or s.id < k.id)
  ), passed as (
    update bulks b set changed = p.changed, unchanged = p.unchanged, failed = p.failed, results_gone_at = $5
    from passing p where b.id = p.id and b.results_gone_at is null
  ), passed_ended as (
    update bulks_ended b set changed = p.changed, unchanged = p.unchanged, failed = p.failed, results_gone_at = $5
    from passing p where b.id = p.id and b.results_gone_at is null
  ), counted as (
    select count(*) = ${String(batchBulks)} as more, max(id) || '0' as next from seen
  )
  update retentions r set gone_before = coalesce(k.id, case when c.more then c.next else $3 end)
  from keeps k cross join counted c where r.env = $1 and r.kind = 'bulkResults'
  returning r.gone_before as gone, c.more and k.id is null as more`,
);

interface Passed {
  readonly gone: string;
  readonly more: boolean;
}

/** Moves an environment's border to the present, and returns it. */
const passBulks = async (db: Db, { env, days, gone }: Retention, now: number): Promise<string> => {
  const until = now - days * dayMs;
  const end = idAt('blk', until);
  let border = gone;
  let more = days > 0 && gone < end;
  while (more) {
    // A bulk that moves to its month meanwhile would be found in neither table.
    const passed = await db.transaction(async (tx) => {
      await lockMoves(tx);
      return queryRow<Passed>(tx, passSql, [env, border, end, until, now]);
    });
    if (passed === undefined) return border;
    ({ gone: border, more } = passed);
  }
  return border;
};

const goneBulksSql = statement(
  'retention.gone',
  `select id, env from all_bulks where id >= $1 and id < $2 order by id limit ${String(batchBulks)}`,
);
const deleteChunkSql = statement(
  'retention.delete',
  `
  with cut as (
    delete from bulk_chunks where bulk = $1 and n = (select min(n) from bulk_chunks where bulk = $1)
    returning first, cardinality(ids) as size
  ), gone as (
    delete from bulk_results r using cut c where r.bulk = $1 and r.seq >= c.first and r.seq < c.first + c.size
  )
  select count(*)::int as n from cut`,
);
const noteDeletedSql = statement(
  'retention.deleted',
  `update retentions set deleted_before = $2 where env = $1 and kind = 'bulkResults'`,
);

/** Deletes what is below an environment's border, a chunk with its results by each statement. */
const deleteBulks = async (db: Db, { env, gone, deleted }: Retention): Promise<void> => {
  for (let from = deleted; from < gone;) {
    const found = await queryRows<{ id: string; env: number }>(db, goneBulksSql, [from, gone]);
    for (const bulk of found.filter((one) => one.env === env))
      while (((await queryRow<{ n: number }>(db, deleteChunkSql, [bulk.id]))?.n ?? 0) > 0);
    const last = found.at(-1);
    from = last === undefined || found.length < batchBulks ? gone : `${last.id}0`;
    await executeStatement(db, noteDeletedSql, [env, from]);
  }
};

/** Returns whether another environment keeps results longer: the one that keeps them longest waits until their months are dropped. */
const isShorter = ({ days }: Retention, all: readonly Retention[]): boolean =>
  days > 0 && all.some((other) => other.days === 0 || other.days > days);

const dropSql = statement('retention.drop', 'select drop_past_bulk_months() as n');

/** Expires the results of bulks, and returns how many parts of tables were dropped. `days`: where an environment has none of its own. */
export const expireResults = async (db: Db, days: number, now: number): Promise<number> => {
  await executeStatement(db, insertRetentionsSql, []);
  const all = await queryRows<Retention>(db, retentionsSql, [days]);
  for (const retention of all) {
    const gone = await passBulks(db, retention, now);
    if (isShorter(retention, all)) await deleteBulks(db, { ...retention, gone });
  }
  return (await queryRow<{ n: number }>(db, dropSql))?.n ?? 0;
};
