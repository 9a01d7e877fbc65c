/** The parts of `events`, one for each month, as PostgreSQL has them; for archives. */
import type { Db, Tx } from '../db/knex.ts';
import { queryRow, queryRows, statement } from '../db/sql.ts';

/** A reason for which something can't be archived, verified or restored, as a sentence for an operator. */
export class ArchiveProblem extends Error {}

/** What to do about a file that is damaged. */
export const takeAnother = 'take another copy of it';

export interface EventPart {
  readonly table: string;
  /** `2026-01`, or `former`: what was written before there were parts. */
  readonly name: string;
  /** The ids of its events are from `starts` on and below `ends`. */
  readonly starts: number;
  readonly ends: number;
}

const partsSql = statement(
  'archive.parts',
  `
  select name as table, replace(substr(name, length('events_') + 1), '_', '-') as name,
    coalesce(substring(bounds from 'FROM \\(''(\\d+)''\\)')::bigint, 0) as starts, substring(bounds from 'TO \\(''(\\d+)''\\)')::bigint as ends
  from (
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass) p
  order by ends`,
);

/** Returns the parts, the oldest first. */
export const listEventParts = (db: Db | Tx): Promise<EventPart[]> => queryRows<EventPart>(db, partsSql);

const writtenSql = statement(
  'archive.written',
  'select last_value as id, event_month_starts(to_timestamp($1::bigint / 1000.0)) as starts from events_id_seq',
);

/** Returns the last event id that was drawn, and the first id of the month of a time, in epoch ms. */
export const readEventIds = async (
  db: Db | Tx,
  at: number,
): Promise<{ readonly id: number; readonly starts: number }> =>
  (await queryRow<{ id: number; starts: number }>(db, writtenSql, [at])) ?? { id: 0, starts: 0 };

/** An archive that was written, as the database remembers it. */
export interface Archive {
  readonly starts: number;
  readonly ends: number;
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly events: number;
  /** Epoch milliseconds, as the others. */
  readonly first_at: number;
  readonly last_at: number;
  readonly archived_at: number;
}

const archivesSql = statement(
  'archive.list',
  'select starts, ends, name, file, bytes, sha256, events, first_at, last_at, archived_at from archives order by starts',
);

/** Returns the archives, the oldest first. */
export const listArchives = (db: Db | Tx): Promise<Archive[]> => queryRows<Archive>(db, archivesSql);
