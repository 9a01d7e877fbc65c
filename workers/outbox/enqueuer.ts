/** The enqueuer: gives BullMQ the ids of staged jobs that are due. The rows stay until the jobs are done. */
import { runsUnderWaySql } from '../../shared/bulk/runsInTurn.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Deps } from '../../shared/deps.ts';
import { isTimeUnsure } from '../../shared/platform/db/databaseClock.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../../shared/platform/db/sql.ts';
import { dbNowSql } from '../../shared/platform/leases/leaderLease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { testWrite } from '../../shared/platform/redis/connect.ts';
import { createInterval } from '../../shared/platform/time/clock.ts';
import type { JobTable } from '../handler.ts';
import { backoffAfter, createWakeSignal, type RunningService } from '../wakeSignal.ts';

/** Jobs of one batch: with more, adding to BullMQ gets slower, not faster (docs/performance.md). */
const batchRows = 200;
/** ms between two lines in the log while it fails. */
const logEveryMs = 60_000;
/** ms between two polls: how late a job starts when its wake signal was lost. */
const pollMs = 250;

interface DueJob {
  readonly id: string;
  readonly name: string;
  readonly fence: number;
  readonly enqueues: number;
  readonly enqueued_at: number;
  /** Of a chunk: which one it is of those of its principal that workers have; absent: its kind of job takes no turns. */
  readonly place?: number;
  /** Of a chunk: whether its bulk is done in one statement. */
  readonly small?: boolean;
}

/** Sorted, since an update returns its rows in any order and BullMQ keeps the order. */
const takeDueSql = statement(
  'enqueuer.take',
  `
  with due as (
    select id from staged_jobs s where enqueued_at is null and due_at <= $1 and name = any ($2::text[])
      and (name <> 'bulkChunk' or not exists (select from bulks b where b.id = s.subject and b.finished_at is null))
    order by due_at, id limit ${String(batchRows)} for update skip locked
  ), now as materialized (select ${dbNowSql} as at),
  taken as (
    update staged_jobs s set enqueued_at = now.at, enqueues = enqueues + 1 from now where s.id = any (array(select id from due))
    returning s.id, s.name, s.fence, s.enqueues, s.enqueued_at, s.due_at)
  select id, name, fence, enqueues, enqueued_at from taken order by due_at, id`,
);
/**
 * Chunks of bulks, by turns: of each principal in each environment at most `limits.chunksInTurn` are given to workers at
 * once, so that a small bulk does not wait behind all chunks of a large one. Those that are enqueued come first in the count.
 * Chunks that make runs wait while those of their principal are under way.
 */
const takeChunksSql = statement(
  'enqueuer.takeChunks',
  `
  with open as materialized (
    select id, env, actor, total, operation ->> 'type' = 'action' and not cancelled as acts from bulks where finished_at is null
  ), busy as materialized (
    select p.env, p.actor from (select distinct env, actor from open where acts) p
    cross join lateral (${runsUnderWaySql({ env: 'p.env', actor: 'p.actor', now: '$1::bigint' })}) c where c.n >= ${String(limits.runsInTurn)}
  ), jobs as (
    select j.id, j.due_at, j.enqueued_at, b.env, b.actor, b.total <= ${String(limits.bulkStatement)} as small from open b join staged_jobs j on j.subject = b.id
    where j.name = 'bulkChunk' and (j.enqueued_at is not null
      or (j.due_at <= $1 and not (b.acts and exists (select from busy where busy.env = b.env and busy.actor = b.actor))))
  ), ranked as (
    select id, enqueued_at, small, row_number() over (partition by env, actor order by enqueued_at nulls last, due_at, id) as place from jobs
  ), due as (
    select s.id, r.place, r.small from ranked r join staged_jobs s on s.id = r.id
    where r.place <= ${String(limits.chunksInTurn)} and r.enqueued_at is null and s.enqueued_at is null
    order by r.place, s.id limit ${String(batchRows)} for update of s skip locked
  ), now as materialized (select ${dbNowSql} as at),
  taken as (
    update staged_jobs s set enqueued_at = now.at, enqueues = enqueues + 1 from now where s.id = any (array(select id from due))
    returning s.id, s.name, s.fence, s.enqueues, s.enqueued_at)
  select id, t.name, t.fence, t.enqueues, t.enqueued_at, d.place::int, d.small from taken t join due d using (id) order by d.place, id`,
);
/** Only rows that are as this enqueuer left them: a job that got through may have run and been staged again since. */
const returnJobsSql = statement(
  'enqueuer.putBack',
  `
  update staged_jobs set enqueued_at = null where id = any ($1::text[]) and enqueued_at = $2 and lease_until is null`,
);
const isWaitingSql = 'enqueued_at is null and due_at is not null';
/** Reads when the next job is due. A chunk that waits for its turn stays due, so that the enqueuer looks for chunks at each poll. */
const nextDueSql = statement(
  'enqueuer.next',
  `
  select
    (select min(due_at) from staged_jobs where ${isWaitingSql} and name = any ($1::text[]) and name <> 'bulkChunk') as at,
    exists (select from staged_jobs where ${isWaitingSql} and name = any ($1::text[]) and name = 'bulkChunk' and due_at <= $2) as chunks`,
);

/**
 * Returns the id of a job in BullMQ. While a start waits there, adding it again (a lost answer, the sweep of orphaned jobs)
 * does nothing, as it has the same id; the fence rises with each start, so the next start is another job. Redis may also have
 * kept the job but forgotten that it waits (eviction, a partly restored backup): each fourth time the id is a new one, and the
 * second start finds the row leased.
 */
const bullJobId = ({ id, fence, enqueues }: DueJob): string =>
  `${id}-${String(fence)}-${String(Math.floor(enqueues / 4))}`;

const enqueueJobs = async (deps: Pick<Deps, 'redis'>, jobs: JobTable, taken: readonly DueJob[]): Promise<void> => {
  const queueOf = ({ name, small = false }: DueJob): string =>
    (small ? jobs[name]?.small : undefined) ?? jobs[name]?.queue ?? name;
  await Promise.all(
    [...new Set(taken.map(queueOf))].map((queue) => {
      const own = taken.filter((job) => queueOf(job) === queue);
      return deps.redis.queue(queue).addBulk(
        own.map((job) => ({
          name: job.name,
          data: { staged: job.id },
          opts: {
            jobId: bullJobId(job),
            attempts: 1,
            removeOnComplete: true,
            removeOnFail: true,
            // The first chunk of one goes before the last ones of another that wait in the queue.
            ...(job.place === undefined ? {} : { priority: job.place }),
          },
        })),
      );
    }),
  );
};

/** Enqueues what was taken. When Redis fails it is put back, or found by the sweep of orphaned jobs. */
const enqueueTaken = async (
  deps: Pick<Deps, 'redis' | 'db'>,
  jobs: JobTable,
  taken: readonly DueJob[],
): Promise<void> => {
  const at = taken[0]?.enqueued_at;
  if (at === undefined) return;
  try {
    await enqueueJobs(deps, jobs, taken);
  } catch (error) {
    await executeStatement(deps.db, returnJobsSql, [taken.map(({ id }) => id), at]);
    throw error;
  }
};

/** Enqueues one batch and returns how many were due. */
export const enqueueDue = async (deps: Pick<Deps, 'redis' | 'clock' | 'db'>, jobs: JobTable): Promise<number> => {
  const now = deps.clock.now();
  const names = Object.keys(jobs);
  const [chunks, taken] = await Promise.all([
    names.includes('bulkChunk') ? queryRows<DueJob>(deps.db, takeChunksSql, [now]) : [],
    queryRows<DueJob>(deps.db, takeDueSql, [now, names]),
  ]);
  await Promise.all([chunks, taken].map((some) => enqueueTaken(deps, jobs, some)));
  return taken.length;
};

/** Returns the ms until a job may be due; not 0, as another enqueuer may be taking a job that is due. */
const msUntilNextJob = async (db: Db, jobs: JobTable, now: number): Promise<number> => {
  const next = await queryRow<{ at: number | null; chunks: boolean }>(db, nextDueSql, [Object.keys(jobs), now]);
  return Math.max(5, Math.min(next?.chunks === true ? pollMs : Infinity, (next?.at ?? Infinity) - now));
};

export const startEnqueuer = (deps: Deps, jobs: JobTable): RunningService => {
  const { db, bus, clock, log, redis } = deps;
  const news = createWakeSignal();
  let stopped = false;
  let stopping: Promise<void> | null = null;

  /** Resolves at a wake signal, or when a job may be due. Redis may lose signals, so each poll reads PostgreSQL. */
  const waitForWork = async (): Promise<void> => {
    while (!stopped) {
      const ms = await msUntilNextJob(db, jobs, clock.now());
      if ((await news.wait(Math.min(pollMs, ms))) || ms <= pollMs) return;
    }
  };
  const live = async (): Promise<void> => {
    let failures = 0;
    let isLogDue = createInterval(logEveryMs);
    while (!stopped) {
      try {
        // While Redis is unavailable rows are not taken: putting them back would only cost. Nor while nobody knows the time.
        const due = bus.connected && !isTimeUnsure(deps.time.skewMs()) ? await enqueueDue(deps, jobs) : null;
        if (due !== null && failures > 0) {
          // Rows that were put back may be another worker's now: that nothing was due shows nothing of Redis.
          await testWrite(redis);
          log.info('the enqueuer goes on');
          failures = 0;
          isLogDue = createInterval(logEveryMs);
        }
        if (due === null) await news.wait(pollMs);
        else if (due !== batchRows) await waitForWork();
      } catch (error) {
        failures += 1;
        if (isLogDue()) log.warn({ err: error }, 'the enqueuer failed and retries');
        if (!stopped) await news.wait(backoffAfter(failures));
      }
    }
  };

  const unsubscribe = bus.subscribe(channels.workAvailable, (text) => {
    if (text === 'jobs') news.wake();
  });
  const living = live();
  const stop = async (): Promise<void> => {
    stopped = true;
    unsubscribe();
    news.wake();
    await living;
  };
  return { stop: () => (stopping ??= stop()) };
};
