/** Finds unfinished runs that somebody has to look after; used by the sweep. */
import { limits } from '../catalogue/limits.ts';
import { linkLimits } from '../applink/protocol.ts';
import type { Db } from '../platform/db/knex.ts';
import { rows, statement } from '../platform/db/sql.ts';
import { nowSql } from '../platform/outbox/lease.ts';
import type { Run } from './model.ts';

const batch = 500;

const expired = statement('runs.expired', `
  select * from runs where status = 'queued' and expires_at <= $1 order by expires_at limit ${String(batch)}`);
export const expiredRuns = (db: Db, now: number): Promise<Run[]> => rows<Run>(db, expired, [now]);

/** Handed over, and either the time is up or its socket has gone. */
const lost = statement('runs.lost', `
  select r.* from runs r
  where r.status = 'running' and r.handed_at is not null and r.lost_at is null
    and (r.handed_at + r.timeout_ms <= $1
      or not exists (select from app_connections c where c.id = r.connection and c.seen_at > ${nowSql} - ${String(linkLimits.goneMs)}))
  order by r.id limit ${String(batch)}`);
export const lostRuns = (db: Db, now: number): Promise<Run[]> => rows<Run>(db, lost, [now]);

/** Lost, and its instance has not come back with the answer in time. */
const overdue = statement('runs.overdue', `
  select * from runs where status = 'running' and handed_at is not null and lost_at <= $1 order by id limit ${String(batch)}`);
export const overdueRuns = (db: Db, now: number): Promise<Run[]> => rows<Run>(db, overdue, [now - limits.lostAnswerMs]);
