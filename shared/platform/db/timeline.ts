/**
 * The timeline in which PostgreSQL writes and the system of its data, as it says itself. Used by the publisher
 * (workers/outbox/timeline.ts), which keeps both with the data, and for standbys, which are held against it.
 */

/** The number of the timeline as the names of PostgreSQL's log have it, in SQL. Any role may ask; a standby refuses. */
export const timelineSql = 'substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)';

/** The identifier of the system, which a standby has from its primary, in SQL. */
export const systemSql = '(select system_identifier::text from pg_control_system())';

/** The system and the timeline in which it writes, as the publisher keeps them with the data, in SQL. */
export const historySql = `${systemSql} || ' ' || ${timelineSql}`;
