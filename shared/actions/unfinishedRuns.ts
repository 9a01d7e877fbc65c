/** Reads unfinished runs that are expired, lost or overdue, in batches. Used by the sweep of runs. */
import { linkLimits } from '../applink/protocol.ts';
import { limits } from '../catalogue/limits.ts';
import { isOnlineSql } from '../catalogue/states/connections.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { dbNowSql } from '../platform/outbox/leaderLease.ts';
import { runColumns, type Run } from './model.ts';

const runBatchRows = 500;

const expiredRunsSql = statement(
  'runs.expired',
  `
  select ${runColumns} from runs r where r.status = 'queued' and r.expires_at <= $1 order by r.expires_at limit ${String(runBatchRows)}`,
);
export const readExpiredRuns = (db: Db, now: number): Promise<Run[]> => queryRows<Run>(db, expiredRunsSql, [now]);

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
export const readLostRuns = (db: Db, now: number): Promise<Run[]> => queryRows<Run>(db, lostRunsSql, [now]);

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
export const readOverdueRuns = (db: Db, now: number): Promise<Run[]> =>
  queryRows<Run>(db, overdueRunsSql, [now - limits.lostAnswerMs]);
