/**
 * Who runs a staged job: a worker claims its row before it starts and ends the claim with what became of it. Claims run
 * by PostgreSQL's clock, due times by the service's. A claim that was lost (its lease ran out, another took the row)
 * writes nothing, here and in what the handler writes under its fence.
 */
import { isParkedJobSql } from '../../catalogue/states/stagedJobs.ts';
import type { Db } from '../db/knex.ts';
import { queryRow, queryRows, executeStatement, statement } from '../db/sql.ts';
import { dbNowSql } from './leaderLease.ts';

/** How long a claim lasts unless it is extended: what a killed worker's job waits at most, besides the sweep's turn. */
export const jobLeaseMs = 8_000;
/** Two extensions may fail before a claim runs out. */
export const jobLeaseRenewMs = 2_500;

export interface JobLease {
  readonly id: string;
  readonly env: number;
  readonly name: string;
  readonly payload: unknown;
  readonly requestId: string | null;
  readonly fence: number;
  readonly tries: number;
}

/** Not before it is due, unless the enqueuer said so by its own clock: an old message of BullMQ changes nothing. */
const leaseJobSql = statement(
  'claims.claim',
  `
  update staged_jobs set fence = fence + 1, tries = tries + 1, lease_until = ${dbNowSql} + ${String(jobLeaseMs)}, enqueued_at = coalesce(enqueued_at, ${dbNowSql})
  where id = $1 and (enqueued_at is not null or due_at <= $2) and (lease_until is null or lease_until <= ${dbNowSql})
  returning id, env, name, payload, request_id as "requestId", fence, tries`,
);
const renewLeasesSql = statement(
  'claims.extend',
  `
  update staged_jobs s set lease_until = ${dbNowSql} + ${String(jobLeaseMs)}
  from unnest($1::text[], $2::int[]) as held (id, fence)
  where s.id = held.id and s.fence = held.fence and s.lease_until is not null
  returning s.id, s.fence`,
);
const completeJobSql = statement(
  'claims.finish',
  'delete from staged_jobs where id = $1 and fence = $2 and lease_until is not null',
);
const rescheduleJobSql = statement(
  'claims.again',
  `
  update staged_jobs set due_at = $3, enqueued_at = null, lease_until = null, tries = 0, last_error = null
  where id = $1 and fence = $2 and lease_until is not null`,
);
const parkJobSql = statement(
  'claims.park',
  `
  update staged_jobs set due_at = null, waits_for_app = true, enqueued_at = null, lease_until = null, tries = 0, last_error = null
  where id = $1 and fence = $2 and lease_until is not null`,
);
/**
 * Oldest first: workers take jobs side by side, so what is to begin before another has to be due before it. A few are
 * far enough apart to be begun one by one, many come as fast as they can be; all of a release within a second, and few
 * enough that the first of them are begun before the last are found.
 */
const releaseParkedSql = statement(
  'claims.release',
  `
  with waiting as (select id, created_at from staged_jobs where env = $1 and ${isParkedJobSql('staged_jobs')} order by created_at, id limit 500),
  ranked as (select id, row_number() over (order by created_at, id) - 1 as rank, least(50, 800.0 / count(*) over ()) as apart from waiting)
  update staged_jobs j set due_at = $2::bigint + floor(r.rank * r.apart)::bigint, waits_for_app = false
  from ranked r where j.id = r.id`,
);
const failJobSql = statement(
  'claims.fail',
  `
  update staged_jobs set due_at = $3, enqueued_at = null, lease_until = null, last_error = $4
  where id = $1 and fence = $2 and lease_until is not null`,
);
const returnJobSql = statement(
  'claims.return',
  `
  update staged_jobs set enqueued_at = null, lease_until = null, tries = tries - 1
  where id = $1 and fence = $2 and lease_until is not null`,
);

type JobLeaseKey = Pick<JobLease, 'id' | 'fence'>;

/** null: done, cancelled, parked, not due or in other hands; nothing is to be done then. */
export const acquireJobLease = async (db: Db, id: string, now: number): Promise<JobLease | null> =>
  (await queryRow<JobLease>(db, leaseJobSql, [id, now])) ?? null;

/** Extends claims, and answers those that were lost. */
export const renewJobLeases = async <K extends JobLeaseKey>(db: Db, held: readonly K[]): Promise<K[]> => {
  const found = await queryRows<JobLeaseKey>(db, renewLeasesSql, [
    held.map(({ id }) => id),
    held.map(({ fence }) => fence),
  ]);
  const still = new Set(found.map(({ id, fence }) => `${id} ${String(fence)}`));
  return held.filter(({ id, fence }) => !still.has(`${id} ${String(fence)}`));
};

/** The job is done: its row goes. Each of these answers false when the claim was lost, or the row has gone already. */
export const completeJob = async (db: Db, { id, fence }: JobLeaseKey): Promise<boolean> =>
  (await executeStatement(db, completeJobSql, [id, fence])) === 1;

/** It is to be looked at again at `at`, as if for the first time. */
export const rescheduleJob = async (db: Db, { id, fence }: JobLeaseKey, at: number): Promise<boolean> =>
  (await executeStatement(db, rescheduleJobSql, [id, fence, Math.ceil(at)])) === 1;

/** It can't go on while the app is offline: parked until `releaseForApp`. */
export const parkJob = async (db: Db, { id, fence }: JobLeaseKey): Promise<boolean> =>
  (await executeStatement(db, parkJobSql, [id, fence])) === 1;

/** The app is there: makes what waits for it due, some 500 at a time, and answers how many. The caller nudges the enqueuer. */
export const releaseParkedJobs = (db: Db, env: number, now: number): Promise<number> =>
  executeStatement(db, releaseParkedSql, [env, now]);

/** It failed and is tried again at `at`; null: it is parked with its error, for a person to see. */
export const failJob = async (db: Db, { id, fence }: JobLeaseKey, error: string, at: number | null): Promise<boolean> =>
  (await executeStatement(db, failJobSql, [
    id,
    fence,
    at === null ? null : Math.ceil(at),
    error.slice(0, 1000).replaceAll('\0', ''),
  ])) === 1;

/** It was interrupted: anyone may take it at once, and this start doesn't count. */
export const returnJob = async (db: Db, { id, fence }: JobLeaseKey): Promise<boolean> =>
  (await executeStatement(db, returnJobSql, [id, fence])) === 1;
