/**
 * Takes care of runs that no process works on: expires queued runs, settles runs whose answer is missing because the app or
 * the process with its connection has gone, and releases runs that are first of their record.
 */
import { linkLimits } from '../../shared/app/link/protocol.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { isOnlineSql } from '../../shared/catalogue/states/connections.ts';
import type { Deps } from '../../shared/deps.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { queryRows, statement } from '../../shared/platform/db/sql.ts';
import { dbNowSql } from '../../shared/platform/leases/leaderLease.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { releaseOverlookedRuns, type QueuePlace } from '../../shared/runs/call/recordQueue.ts';
import { markRunLost, settleOverdueRun } from '../../shared/runs/call/runOutcome.ts';
import { settleRun } from '../../shared/runs/call/settleRun.ts';
import { expiredResolution } from '../../shared/runs/call/undispatchedRun.ts';
import { runColumns, type Run } from '../../shared/runs/model.ts';
import type { Sweep } from './sweep.ts';

/** Reads unfinished runs that are expired, lost or overdue, in batches. */
const runBatchRows = 500;

const expiredRunsSql = statement(
  'runs.expired',
  `
  select ${runColumns} from runs r where r.status = 'queued' and r.expires_at <= $1 order by r.expires_at limit ${String(runBatchRows)}`,
);
const readExpiredRuns = (db: Db, now: number): Promise<Run[]> => queryRows<Run>(db, expiredRunsSql, [now]);

const isConnectedSql = `exists (select from app_connections c where c.id = r.connection and ${isOnlineSql('c', `${dbNowSql} - ${String(linkLimits.goneMs)}`)})`;

/** Dispatched runs whose time is up or whose connection has gone. */
const lostRunsSql = statement(
  'runs.lost',
  `
  select ${runColumns} from runs r
  where r.status = 'running' and r.handed_at is not null and r.lost_at is null
    and (r.handed_at + r.timeout_ms <= $1 or not ${isConnectedSql})
  order by r.id limit ${String(runBatchRows)}`,
);
const readLostRuns = (db: Db, now: number): Promise<Run[]> => queryRows<Run>(db, lostRunsSql, [now]);

/**
 * Lost runs whose instance has not come back with the answer in time. While its connection is there again, as after an outage of
 * PostgreSQL, the app is still at it, and has the whole time that it was given.
 */
const overdueRunsSql = statement(
  'runs.overdue',
  `
  select ${runColumns} from runs r
  where r.status = 'running' and r.handed_at is not null and r.lost_at <= $1
    and (r.handed_at + r.timeout_ms <= $1 or not ${isConnectedSql})
  order by r.id limit ${String(runBatchRows)}`,
);
const readOverdueRuns = (db: Db, now: number): Promise<Run[]> =>
  queryRows<Run>(db, overdueRunsSql, [now - limits.lostAnswerMs]);

/** The place from which the queues of records are looked at next. */
const places = new WeakMap<Deps, QueuePlace>();

/** Looks at the next runs in the queues. */
const releaseOverlooked = async (deps: Deps, now: number): Promise<void> => {
  const { released, place } = await releaseOverlookedRuns(deps.db, now, places.get(deps) ?? null);
  if (place === null) places.delete(deps);
  else places.set(deps, place);
  if (released > 0) deps.bus.publish(channels.workAvailable, 'jobs');
};

export const unfinishedRuns: Sweep = {
  name: 'openRuns',
  everyMs: 1_000,
  // Each has an index of its own.
  due: `exists (select from runs where status = 'queued') or exists (select from runs where status = 'running')`,
  run: async (deps) => {
    const { db, clock } = deps;
    const now = clock.now();
    for (const run of await readExpiredRuns(db, now)) await settleRun(deps, run, expiredResolution(run));
    for (const run of await readLostRuns(db, now)) await markRunLost(deps, run);
    for (const run of await readOverdueRuns(db, now)) await settleOverdueRun(deps, run);
    await releaseOverlooked(deps, now);
  },
};
