/**
 * Stages jobs again that were enqueued and are not running, because Redis was emptied or a worker was killed. A job that is
 * in fact still waiting in BullMQ is refused there by its job id when the enqueuer adds it again.
 */
import { executeStatement, statement } from '../../shared/platform/db/sql.ts';
import { dbNowSql } from '../../shared/platform/outbox/leaderLease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

/** ms after which an enqueued job is checked first, and the longest interval of further checks: a backlog should not be rewritten all the time. */
const firstCheckMs = 5_000;
const checkIntervalMaxMs = 15_000;
const batchRows = 2_000;

const restageOrphanedSql = statement(
  'sweeps.lostJobs',
  `
  update staged_jobs set enqueued_at = null where id = any (array(
    select id from staged_jobs
    where enqueued_at < ${dbNowSql} - ${String(firstCheckMs)} and enqueued_at < ${dbNowSql} - least(${String(firstCheckMs)} * enqueues, ${String(checkIntervalMaxMs)})
      and (lease_until is null or lease_until <= ${dbNowSql})
    order by enqueued_at limit ${String(batchRows)} for update skip locked))`,
);

export const orphanedJobs: Sweep = {
  name: 'lostJobs',
  everyMs: 1_000,
  run: async ({ db, bus }) => {
    if ((await executeStatement(db, restageOrphanedSql)) > 0) bus.publish(channels.workAvailable, 'jobs');
  },
};
