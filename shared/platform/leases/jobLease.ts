/**
 * Job leases: a worker acquires the lease of a staged job before it starts and ends it with the job's outcome. Leases run by
 * PostgreSQL's clock, due times by the service's. A worker that has lost its lease (it ran out, and another worker has the job)
 * writes nothing: each statement here, and each that the handler runs under the lease, compares the fence.
 */
import { isParkedJobSql } from '../../catalogue/states/stagedJobs.ts';
import { createGatherer, perDatabase } from '../db/gather.ts';
import type { Db } from '../db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../db/sql.ts';
import { channels, type Bus } from '../redis/bus.ts';
import type { Clock } from '../time/clock.ts';
import { dbNowSql } from './leaderLease.ts';

/** How long a lease lasts without renewal, in ms: a killed worker's job waits so long at most, and for the next sweep. */
export const jobLeaseMs = 8_000;
/** How often leases are renewed, in ms: two renewals may fail before a lease runs out. */
export const jobLeaseRenewMs = 2_500;

/** A leased job. `fence` rises with each lease of the row; `tries` counts the starts since the job was last rescheduled. */
export interface JobLease {
  readonly id: string;
  readonly env: number;
  readonly name: string;
  readonly payload: unknown;
  readonly requestId: string | null;
  readonly fence: number;
  readonly tries: number;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Of the request that staged it; null: that is not traced. */
  readonly traceparent: string | null;
}

/*
 * Statements about several jobs have them as an array, so that no plan reads the whole table: one that was made while there were
 * few jobs is used until PostgreSQL has counted again.
 */

/** Acquires nothing before the job is due, unless the enqueuer has enqueued it by its own clock: a stale message of BullMQ has no effect. */
const mayBeLeased = `(enqueued_at is not null or due_at <= $2) and (lease_until is null or lease_until <= ${dbNowSql})`;
const leaseSet = `set fence = fence + 1, tries = tries + 1, lease_until = ${dbNowSql} + ${String(jobLeaseMs)}, enqueued_at = coalesce(enqueued_at, ${dbNowSql})`;
const leaseColumns = `s.id, s.env, s.name, s.payload, s.request_id as "requestId", s.fence, s.tries, s.created_at as "createdAt", s.traceparent`;
const leaseJobSql = statement(
  'jobLease.claim',
  `update staged_jobs s ${leaseSet} where id = $1 and ${mayBeLeased} returning ${leaseColumns}`,
);
/** Skips rows that another transaction has locked. */
const leaseJobsSql = statement(
  'jobLease.claimMany',
  `
  with held as (
    select f.id from unnest($1::text[]) as g (id)
    cross join lateral (select id from staged_jobs where id = g.id and ${mayBeLeased} for update skip locked) f)
  update staged_jobs s ${leaseSet} where s.id = any (array(select id from held)) returning ${leaseColumns}`,
);
const renewLeasesSql = statement(
  'jobLease.extend',
  `
  update staged_jobs s set lease_until = ${dbNowSql} + ${String(jobLeaseMs)}
  from unnest($1::text[], $2::int[]) as held (id, fence)
  where s.id = any ($1::text[]) and s.id = held.id and s.fence = held.fence and s.lease_until is not null
  returning s.id, s.fence`,
);
const completeJobSql = statement(
  'jobLease.finish',
  'delete from staged_jobs where id = $1 and fence = $2 and lease_until is not null',
);
const rescheduleJobsSql = statement(
  'jobLease.again',
  `
  update staged_jobs s set due_at = g.at, enqueued_at = null, lease_until = null, tries = 0, last_error = null
  from unnest($1::text[], $2::int[], $3::bigint[]) as g (id, fence, at)
  where s.id = any ($1::text[]) and s.id = g.id and s.fence = g.fence and s.lease_until is not null`,
);
const parkJobSql = statement(
  'jobLease.park',
  `
  update staged_jobs set due_at = null, waits_for_app = true, enqueued_at = null, lease_until = null, tries = 0, last_error = null
  where id = $1 and fence = $2 and lease_until is not null`,
);
/**
 * Makes parked jobs due one after the other: principals take turns, each with its oldest run first; jobs that are no runs have a
 * turn of their own. Workers take jobs in parallel, so a job that should start before another has to be due before it. Up to 16
 * jobs are 50 ms apart, more of them share 800 ms.
 */
const releaseParkedSql = statement(
  'jobLease.release',
  `
  with waiting as (
    select j.id, j.created_at, row_number() over (partition by r.actor order by j.created_at, j.id) as turn
    from staged_jobs j left join runs r on j.name = 'actionRun' and r.id = j.subject
    where j.env = $1 and ${isParkedJobSql('j')}
  ), first as (select * from waiting order by turn, created_at, id limit $3),
  ranked as (select id, row_number() over (order by turn, created_at, id) - 1 as rank, least(50, 800.0 / count(*) over ()) as apart from first),
  delays as (select array_agg(id) as ids, jsonb_object_agg(id, floor(rank * apart)::bigint) as ms from ranked)
  update staged_jobs j set due_at = $2::bigint + ((select ms from delays) ->> j.id)::bigint, waits_for_app = false
  where j.id = any ((select ids from delays)::text[]) and ${isParkedJobSql('j')}`,
);
/** Jobs of the first release: few, so that the first start before the last are found. Each further one reads all that are left. */
const [firstReleased, mostReleased] = [500, 10_000];
const failJobSql = statement(
  'jobLease.fail',
  `
  update staged_jobs set due_at = $3, enqueued_at = null, lease_until = null, last_error = $4, given_up_at = $5
  where id = $1 and fence = $2 and lease_until is not null`,
);
const returnJobSql = statement(
  'jobLease.return',
  `
  update staged_jobs set enqueued_at = null, lease_until = null, tries = tries - 1
  where id = $1 and fence = $2 and lease_until is not null`,
);

interface ReleaseDeps {
  readonly db: Db;
  readonly bus: Bus;
  readonly clock: Clock;
}

type JobLeaseKey = Pick<JobLease, 'id' | 'fence'>;

interface WantedLease {
  readonly id: string;
  /** Epoch ms. */
  readonly now: number;
}

/** Returns a lease or null for each, in their order; null too for a row that another transaction has locked. */
const acquireTogether = async (db: Db, wanted: readonly WantedLease[]): Promise<(JobLease | null)[]> => {
  const found = await queryRows<JobLease>(db, leaseJobsSql, [
    wanted.map(({ id }) => id),
    Math.max(...wanted.map(({ now }) => now)),
  ]);
  const leases = new Map(found.map((lease) => [lease.id, lease]));
  return wanted.map(({ id }) => {
    const lease = leases.get(id) ?? null;
    // The same job may be wanted twice.
    leases.delete(id);
    return lease;
  });
};

const gatheredLeases = perDatabase((db) =>
  createGatherer<WantedLease, JobLease | null>({
    groupOf: () => 0,
    sizeOf: () => 1,
    run: (wanted) => acquireTogether(db, wanted),
  }),
);

/**
 * Acquires the lease of a job, together with others that a process asks for at once; waits for a row that another transaction has
 * locked, by a statement of its own. Returns null when the job is done, cancelled, parked, not due or leased by another worker.
 * `now` is in epoch ms.
 */
export const acquireJobLease = async (db: Db, id: string, now: number): Promise<JobLease | null> =>
  (await gatheredLeases(db)({ id, now })) ?? (await queryRow<JobLease>(db, leaseJobSql, [id, now])) ?? null;

/** Returns leases in the one order in which rows are locked: two statements that hold rows of each other would never end. */
const inLockOrder = <K extends JobLeaseKey>(leases: readonly K[]): K[] =>
  leases.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** Renews leases, and returns those that are lost. */
export const renewJobLeases = async <K extends JobLeaseKey>(db: Db, leases: readonly K[]): Promise<K[]> => {
  const sorted = inLockOrder(leases);
  const found = await queryRows<JobLeaseKey>(db, renewLeasesSql, [
    sorted.map(({ id }) => id),
    sorted.map(({ fence }) => fence),
  ]);
  const renewed = new Set(found.map(({ id, fence }) => `${id} ${String(fence)}`));
  return leases.filter(({ id, fence }) => !renewed.has(`${id} ${String(fence)}`));
};

/** Deletes a job that is done. This and the functions below return false when the lease is lost or the row is gone. */
export const completeJob = async (db: Db, { id, fence }: JobLeaseKey): Promise<boolean> =>
  (await executeStatement(db, completeJobSql, [id, fence])) === 1;

/** Makes those jobs due at `at` (epoch ms) that are still leased under their fence, as new jobs without failures. Returns how many. */
export const rescheduleJobs = async (
  db: Db,
  jobs: readonly (JobLeaseKey & { readonly at: number })[],
): Promise<number> => {
  const sorted = inLockOrder(jobs);
  return executeStatement(db, rescheduleJobsSql, [
    sorted.map(({ id }) => id),
    sorted.map(({ fence }) => fence),
    sorted.map(({ at }) => Math.ceil(at)),
  ]);
};

/** Makes a job due at `at` (epoch ms), as `rescheduleJobs`. */
export const rescheduleJob = async (db: Db, { id, fence }: JobLeaseKey, at: number): Promise<boolean> =>
  (await rescheduleJobs(db, [{ id, fence, at }])) === 1;

/** Parks a job that needs the app while the app is offline, until `releaseParkedJobs`. */
export const parkJob = async (db: Db, { id, fence }: JobLeaseKey): Promise<boolean> =>
  (await executeStatement(db, parkJobSql, [id, fence])) === 1;

/** Makes all jobs of an environment due that wait for its app, and wakes the enqueuer after each batch. */
export const releaseParkedJobs = async ({ db, bus, clock }: ReleaseDeps, envId: number): Promise<void> => {
  let most = firstReleased;
  while ((await executeStatement(db, releaseParkedSql, [envId, clock.now(), most])) > 0) {
    bus.publish(channels.workAvailable, 'jobs');
    most = mostReleased;
  }
};

interface JobFailure {
  readonly error: string;
  /** When it is tried again, in epoch ms; null: it is given up, and kept with its error for a person. */
  readonly retryAt: number | null;
  readonly now: number;
}

/** Makes a failed job due for its next try, or gives it up. */
export const failJob = async (
  db: Db,
  { id, fence }: JobLeaseKey,
  { error, retryAt, now }: JobFailure,
): Promise<boolean> =>
  (await executeStatement(db, failJobSql, [
    id,
    fence,
    retryAt === null ? null : Math.ceil(retryAt),
    error.slice(0, 1000).replaceAll('\0', ''),
    retryAt === null ? now : null,
  ])) === 1;

/** Gives an interrupted job back: any worker may take it at once, and this start does not count as a try. */
export const returnJob = async (db: Db, { id, fence }: JobLeaseKey): Promise<boolean> =>
  (await executeStatement(db, returnJobSql, [id, fence])) === 1;
