/**
 * Stages anew what was handed to BullMQ and isn't running: Redis was emptied, or a worker was killed. What is in fact
 * still waiting there is refused by its job id when the enqueuer adds it again.
 */
import { run, statement } from '../../shared/platform/db/sql.ts';
import { nowSql } from '../../shared/platform/outbox/lease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

/** A job is looked for after 5 s, and every 15 s at most when it has waited long: a backlog shouldn't be written all the time. */
const firstMs = 5_000;
const mostMs = 15_000;
const batchRows = 2_000;

const stageLost = statement('sweeps.lostJobs', `
  update staged_jobs set enqueued_at = null where id in (
    select id from staged_jobs
    where enqueued_at < ${nowSql} - ${String(firstMs)} and enqueued_at < ${nowSql} - least(${String(firstMs)} * enqueues, ${String(mostMs)})
      and (lease_until is null or lease_until <= ${nowSql})
    order by enqueued_at limit ${String(batchRows)} for update skip locked)`);

export const lostJobs: Sweep = {
  name: 'lostJobs',
  everyMs: 1_000,
  run: async ({ db, bus }) => {
    if ((await run(db, stageLost)) > 0) bus.publish(channels.nudge, 'jobs');
  },
};
