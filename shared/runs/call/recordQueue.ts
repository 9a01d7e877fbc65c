/** Per-record queues (column `lane`): queued runs of one record start one after the other, oldest first. */
import { sqlList } from '../../catalogue/states/machine.ts';
import { activeRunStatuses } from '../../catalogue/states/runs.ts';
import { isIdleJobSql } from '../../catalogue/states/stagedJobs.ts';
import type { Db } from '../../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../../platform/db/sql.ts';
import { channels } from '../../platform/redis/bus.ts';
import type { ActionDeps, Run } from '../model.ts';

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

/** Runs that one look at the queues reads. */
const lookedAtMax = 5_000;

/**
 * Makes the first runs of their records due among the next unfinished runs behind a place ($2 to $4), in the order of the index of
 * queues, and selects how many, and the next place; null at the end. Each run and job is looked up by itself, as a join may read
 * all there are.
 */
const releaseNextSql = statement(
  'lanes.releaseNext',
  `
  with looked as materialized (
    select r.env, r.lane, r.id, r.status, r.handed_at, row_number() over (partition by r.env, r.lane order by r.id) as turn, row_number() over (order by r.env, r.lane, r.id) as n from runs r
    where r.lane is not null and r.status in (${sqlList(activeRunStatuses)}) and (r.env, r.lane, r.id) > ($2::int, $3::text, $4::text)
    order by r.env, r.lane, r.id limit ${String(lookedAtMax)}),
  first as materialized (
    select r.id from looked r where r.turn = 1 and r.status = 'queued' and r.handed_at is null and r.id = (
      select q.id from runs q where q.env = r.env and q.lane = r.lane and q.status in (${sqlList(activeRunStatuses)}) order by q.id limit 1)),
  released as (
    update staged_jobs j set due_at = $1::bigint
    where ${idleJobCondition} and j.id = any (array(
      select j.id from first f
      cross join lateral (select j.id from staged_jobs j where j.subject = f.id and j.name = 'actionRun' and ${idleJobCondition} offset 0) j))
    returning j.id)
  select (select count(*) from released)::int as released,
    (select json_build_object('env', env, 'lane', lane, 'id', id) from looked where n = ${String(lookedAtMax)}) as place`,
);

/** How far the queues were looked at: their last run. */
export interface QueuePlace {
  readonly env: number;
  readonly lane: string;
  readonly id: string;
}

interface Look {
  /** Number of runs that were made due. */
  readonly released: number;
  /** Where the next look begins; null: at the first queue. */
  readonly place: QueuePlace | null;
}

/**
 * Makes runs due that are first of their record, should the process that ended the one before have died before it did so. Called
 * by a sweep, with the place that the call before returned: each looks at a few thousand runs, as those that wait for an app that
 * is offline may be a million.
 */
export const releaseOverlookedRuns = async (db: Db, now: number, place: QueuePlace | null): Promise<Look> => {
  const { env, lane, id } = place ?? { env: 0, lane: '', id: '' };
  return (await queryRow<Look>(db, releaseNextSql, [now, env, lane, id])) ?? { released: 0, place: null };
};

const cancelledBulkSql = statement('runs.bulkCancelled', 'select 1 from bulks where id = $1 and cancelled');

/** Returns whether the bulk that made the run was cancelled. A retry is a request of its own, whatever became of the bulk. */
export const isOfCancelledBulk = async (db: Db, { bulk, attempt }: Pick<Run, 'bulk' | 'attempt'>): Promise<boolean> =>
  bulk !== null && attempt === 1 && (await queryRow(db, cancelledBulkSql, [bulk])) !== undefined;
