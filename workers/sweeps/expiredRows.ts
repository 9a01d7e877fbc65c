/** Deletes rows past their time: saved responses, deliveries, tickets, the oldest messages of the stream, jobs that were given up; and moves what has ended to its months. */
import { dayMs } from '../../shared/accounts/writtenBytes.ts';
import { endedApprovals } from '../../shared/approvals/queries.ts';
import { endedBulks } from '../../shared/bulk/queries.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { EndedKind } from '../../shared/catalogue/retention.ts';
import { isGivenUpJobSql } from '../../shared/catalogue/states/stagedJobs.ts';
import { getOrCreate } from '../../shared/platform/caches.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { type SqlValue, executeStatement, queryRow, queryRows, statement } from '../../shared/platform/db/sql.ts';
import { type EndedRows, expireEnded, mayMove, moveEnded } from '../../shared/platform/ended/moveEnded.ts';
import { endedRuns } from '../../shared/runs/endedRuns.ts';
import { type Sweep, presentTime } from './sweep.ts';

/** Rows of one statement: few, so that locks are short; repeated until none is left. */
const batchRows = 1_000;
/** A week from when a job was given up, in which an operator can look at its error and retry it. */
const failedJobsMs = 7 * 86_400_000;

/** Days of which the settings show who has written how much. */
const writtenDays = 30;

const oldKeys = statement(
  'oldRows.keys',
  `
  delete from idempotency_keys where (principal, key) in (
    select principal, key from idempotency_keys where created_at < $1 order by created_at limit ${String(batchRows)})`,
);
const oldTickets = statement(
  'oldRows.tickets',
  `
  delete from tickets where hash in (select hash from tickets where expires_at < $1 order by expires_at limit ${String(batchRows)})`,
);
const oldDeliveries = statement(
  'oldRows.deliveries',
  `
  delete from deliveries where (env, delivery) in (
    select env, delivery from deliveries where created_at < $1 order by created_at limit ${String(batchRows)})`,
);
/** The job of an erasure stays: nothing else ends the erasure, and archives wait for it. */
const failedJobs = statement(
  'oldRows.jobs',
  `
  delete from staged_jobs where id in (
    select id from staged_jobs
    where ${isGivenUpJobSql('staged_jobs')} and coalesce(given_up_at, created_at) < $1 and name <> 'erase' limit ${String(batchRows)})`,
);
const oldWritten = statement('oldRows.written', 'delete from written_bytes where day < $1');
const streams = statement('oldRows.streams', 'select env, position from streams where position > trimmed + $1');
/**
 * Deletes the first rows without a gap, up to the first that is young enough to stay, so that `trimmed` describes all that is
 * deleted. The row of `streams` changes in the same statement: a reader sees either the rows or that they are deleted.
 */
const oldStream = statement(
  'oldRows.stream',
  `
  with first as (
    select position, at from stream
    where env = $1 and position > (select trimmed from streams where env = $1) and position <= $2
    order by position limit ${String(batchRows)}
  ), gone as (
    delete from stream where env = $1
      and position <= (select coalesce(min(position) filter (where at >= $3) - 1, max(position)) from first)
    returning position, id
  ), gone_parts as (
    delete from stream_parts where id = any (array(select id from gone))
  )
  update streams set trimmed = greatest(trimmed, (select max(position) from gone))
  where env = $1 and exists (select from gone)
  returning (select count(*) from gone)::int as gone`,
);

const repeatWhileFull = async (remove: () => Promise<number>): Promise<void> => {
  while ((await remove()) >= batchRows);
};
const deleteInBatches = (db: Db, text: typeof oldKeys, values: readonly SqlValue[]): Promise<void> =>
  repeatWhileFull(() => executeStatement(db, text, values));

export const expiredRows: Sweep = {
  name: 'oldRows',
  everyMs: 60_000,
  run: async ({ db, clock }) => {
    const now = clock.now();
    await deleteInBatches(db, oldKeys, [now - limits.idempotencyMs]);
    await deleteInBatches(db, oldTickets, [now]);
    await deleteInBatches(db, oldDeliveries, [now - limits.deliveryMs]);
    await deleteInBatches(db, failedJobs, [now - failedJobsMs]);
    await executeStatement(db, oldWritten, [Math.floor(now / dayMs) - writtenDays]);
    for (const { env: envId, position } of await queryRows<{ env: number; position: number }>(db, streams, [
      limits.streamKeepMessages,
    ])) {
      const values = [envId, position - limits.streamKeepMessages, now - limits.streamKeepMs];
      await repeatWhileFull(async () => (await queryRow<{ gone: number }>(db, oldStream, values))?.gone ?? 0);
    }
  },
};

export const endedKinds: readonly EndedRows[] = [endedBulks, endedApprovals, endedRuns];

/** Batches of one turn: 500 rows a second, more than ever end for long. */
const batches = 10;

/** Where the next turn begins in a database, for each kind that the last one did not get through. */
const placesByDb = new WeakMap<Db, Map<EndedKind, string>>();
const placesOf = (db: Db): Map<EndedKind, string> => getOrCreate(placesByDb, db, () => new Map<EndedKind, string>());

export const moveEndedRows: Sweep = {
  name: 'moveEndedRows',
  everyMs: 10_000,
  run: async ({ db, clock }) => {
    const now = clock.now();
    if (!(await mayMove(db, now))) return;
    const places = placesOf(db);
    for (const rows of endedKinds)
      places.set(rows.kind, await moveEnded(db, rows, now, { after: places.get(rows.kind) ?? '', batches }));
  },
};

export const expireEndedRows: Sweep = {
  name: 'expireEndedRows',
  everyMs: 600_000,
  run: async ({ db, clock, log }) => {
    for (const { kind } of endedKinds) {
      const dropped = await expireEnded(db, kind, await presentTime({ db, clock }));
      if (dropped > 0) log.info({ kind, months: dropped }, 'months that no environment keeps are dropped');
    }
  },
};
