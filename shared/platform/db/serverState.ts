/**
 * What PostgreSQL says of itself: its timeline and the system of its data, which the publisher keeps with the data and standbys are
 * held against, and why it is read-only, with the remedy, for the doctor and migrations.
 */

/** The number of the timeline as the names of PostgreSQL's log have it, in SQL. Any role may ask; a standby refuses. */
export const timelineSql = 'substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)';

/** The identifier of the system, which a standby has from its primary, in SQL. */
export const systemSql = '(select system_identifier::text from pg_control_system())';

/** The system and the timeline in which it writes, as the publisher keeps them with the data, in SQL. */
export const historySql = `${systemSql} || ' ' || ${timelineSql}`;

/** The row of `readOnlySql`. */
export interface ReadOnlyStanding {
  readonly recovering: boolean;
  readonly readOnly: boolean;
  /** Where the setting comes from, in PostgreSQL's words. */
  readonly source: string;
  readonly role: string;
  readonly database: string;
}

/** Has one row for `describeReadOnly`. */
export const readOnlySql = `
  select pg_is_in_recovery() as recovering, current_setting('transaction_read_only')::bool as "readOnly",
    (select source from pg_settings where name = 'default_transaction_read_only') as source,
    quote_ident(current_user) as role, quote_ident(current_database()) as database`;

const setting = 'default_transaction_read_only';

/** Returns what undoes the setting, by where it comes from. */
const remedyFor = ({ source, role, database }: ReadOnlyStanding): string => {
  switch (source) {
    case 'user':
      return `alter role ${role} reset ${setting}`;
    case 'database':
      return `alter database ${database} reset ${setting}`;
    case 'database user':
      return `alter role ${role} in database ${database} reset ${setting}`;
    case 'configuration file':
      return 'set it to off in postgresql.conf, or by alter system, and reload';
    default:
      return `set it to off where it comes from (${source})`;
  }
};

/** Returns why PostgreSQL takes no writes and the remedy, or null when it takes them. `variable` names the address. */
export const describeReadOnly = (standing: ReadOnlyStanding, variable: string): string | null => {
  if (standing.recovering)
    return `PostgreSQL is in recovery, a standby that only reads: name the primary in ${variable}, or promote this server`;
  if (!standing.readOnly) return null;
  return `PostgreSQL only reads, as ${setting} is on: ${remedyFor(standing)}; managed servers switch it on while their disk is full`;
};
