/** Per-record queues (column `lane`): queued runs of one record start one after the other, oldest first. */
import { sqlList } from '../catalogue/states/machine.ts';
import { activeRunStatuses } from '../catalogue/states/runs.ts';
import { isIdleJobSql } from '../catalogue/states/stagedJobs.ts';
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import { channels } from '../platform/redis/bus.ts';
import type { ActionDeps } from './deps.ts';
import type { Run } from './model.ts';

const earlierRunSql = statement(
  'lanes.before',
  `
  select 1 from runs where env = $1 and lane = $2 and id < $3 and status in (${sqlList(activeRunStatuses)}) limit 1`,
);

/** Returns whether no older run of the same record is unfinished. */
export const isFirstInRecordQueue = async (
  db: Db,
  { env, lane, id }: Pick<Run, 'env' | 'lane' | 'id'>,
): Promise<boolean> => lane === null || (await queryRow(db, earlierRunSql, [env, lane, id])) === undefined;

/** A job that is neither due nor enqueued nor leased. */
const idleJobCondition = `${isIdleJobSql('j')} and (j.due_at is null or j.due_at > $1)`;

/** Makes the job of the first unfinished run of a record due, if that run waits for its turn. */
const releaseFirstSql = statement(
  'lanes.release',
  `
  update staged_jobs j set due_at = $1::bigint
  from (select id, status from runs where env = $2 and lane = $3 and status in (${sqlList(activeRunStatuses)}) order by id limit 1) first
  where first.status = 'queued' and j.subject = first.id and j.name = 'actionRun' and ${idleJobCondition}`,
);

/** Makes the next run of a record due and wakes the enqueuer. */
export const releaseNextRun = async ({ db, bus, clock }: ActionDeps, envId: number, lane: string): Promise<void> => {
  if ((await executeStatement(db, releaseFirstSql, [clock.now(), envId, lane])) > 0)
    bus.publish(channels.workAvailable, 'jobs');
};

/** The same for every record: two runs that ended at once may each have seen the other as unfinished. */
const releaseAllSql = statement(
  'lanes.releaseAll',
  `
  update staged_jobs j set due_at = $1::bigint
  from runs r
  where r.status = 'queued' and r.lane is not null and r.handed_at is null and j.subject = r.id and j.name = 'actionRun' and ${idleJobCondition}
    and not exists (select from runs q where q.env = r.env and q.lane = r.lane and q.id < r.id and q.status in (${sqlList(activeRunStatuses)}))`,
);

/** Makes all runs due that are first of their record; returns how many. Called by a sweep. */
export const releaseOverlookedRuns = (db: Db, now: number): Promise<number> =>
  executeStatement(db, releaseAllSql, [now]);
