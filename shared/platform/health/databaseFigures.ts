/**
 * Reads what is open in the whole database, for metrics. Each statement reads a bounded part of an index, however large the table
 * has become: it counts up to `countMax`. Used by databaseMetrics.ts.
 */
import { openApprovalStatuses } from '../../catalogue/states/approvals.ts';
import { sqlList } from '../../catalogue/states/machine.ts';
import { openRunStatuses } from '../../catalogue/states/runs.ts';
import { isParkedJobSql, jobPhaseSql } from '../../catalogue/states/stagedJobs.ts';
import type { Db } from '../db/knex.ts';
import { queryRow, queryRows, statement } from '../db/sql.ts';
import { dbNowSql } from '../leases/leaderLease.ts';

/** Rows of a state that are counted; as many stand for more. */
export const countMax = 10_000;

const most = `limit ${String(countMax)}`;

/** Of kinds that are not among the oldest `countMax` rows of a state nothing is known but that they are younger. */
const jobsSql = statement(
  'health.jobs',
  `
  with due as (
    select name, due_at from staged_jobs where enqueued_at is null and due_at is not null and due_at <= $1 order by due_at, id ${most}
  ), enqueued as (
    select name, due_at, lease_until from staged_jobs where enqueued_at is not null order by enqueued_at ${most}
  ), parked as (
    select name from staged_jobs j where ${isParkedJobSql('j')} order by env, created_at, id ${most}
  ), failed as (
    select j.name from environments e cross join lateral
      (select name from staged_jobs f where f.env = e.id and ${jobPhaseSql('f')} = 'failed' ${most}) j ${most}
  )
  select name, 'due' as state, count(*)::int as n, min(due_at) as since from due group by name
  union all
  select name, state, count(*)::int, case state when 'enqueued' then min(due_at) end
  from (select name, due_at, case when lease_until is null then 'enqueued' else 'leased' end as state from enqueued) taken
  group by name, state
  union all
  select name, 'parked', count(*)::int, null from parked group by name
  union all
  select name, 'failed', count(*)::int, null from failed group by name`,
);

/** The oldest row is the one with the smallest id: ids are drawn with the time. */
const outboxSql = statement(
  'health.outbox',
  `
  select (select count(*)::int from (select from outbox order by id ${most}) counted) as rows,
    (select at from outbox order by id limit 1) as since,
    (select coalesce(sum(position), 0)::bigint from streams) as published,
    exists (select from leases where name = 'publisher' and until > ${dbNowSql}) as held`,
);

/** Returns SQL that counts the rows of a table in a state by its index that begins with environment and status. */
const countSql = (table: 'runs' | 'approvals', status: string): string => `
  select '${table}' as of, '${status}' as status, (select count(*)::int from (
    select from environments e cross join lateral
      (select from ${table} t where t.env = e.id and t.status in (${sqlList([status])}) ${most}) open ${most}) counted) as n`;

const openSql = statement(
  'health.open',
  [
    ...openRunStatuses.map((status) => countSql('runs', status)),
    ...openApprovalStatuses.map((status) => countSql('approvals', status)),
  ].join(' union all '),
);

/** The age of the oldest commit that waits for a synchronous standby, of the service's own sessions: its role sees no others. */
const commitsSql = statement(
  'health.commits',
  `
  select greatest(0, max(extract(epoch from clock_timestamp() - query_start)))::float8 as "waitSeconds"
  from pg_stat_activity where wait_event = 'SyncRep'`,
);

/** All of them; `$1` is the time in epoch ms, where one takes it. */
export const databaseStatements = [jobsSql, outboxSql, openSql, commitsSql] as const;

interface JobsRow {
  readonly name: string;
  readonly state: 'due' | 'enqueued' | 'leased' | 'parked' | 'failed';
  readonly n: number;
  /** Since when the oldest one is due, where it waits for a worker. */
  readonly since: number | null;
}

interface OutboxRow {
  readonly rows: number;
  readonly since: number | null;
  readonly published: number;
  readonly held: boolean;
}

interface OpenRow {
  readonly of: 'runs' | 'approvals';
  readonly status: string;
  readonly n: number;
}

export interface DatabaseFigures {
  readonly jobs: readonly JobsRow[];
  readonly outbox: OutboxRow;
  readonly open: readonly OpenRow[];
  /** How long the oldest commit waits for a synchronous standby; 0: none does. */
  readonly commitWaitSeconds: number;
}

/** Returns the figures at `now` (epoch ms); one statement after the other, so that they take one connection. */
export const readDatabaseFigures = async (db: Db, now: number): Promise<DatabaseFigures> => {
  const jobs = await queryRows<JobsRow>(db, jobsSql, [now]);
  const outbox = await queryRow<OutboxRow>(db, outboxSql);
  const commits = await queryRow<{ waitSeconds: number }>(db, commitsSql);
  if (outbox === undefined || commits === undefined) throw new Error('A statement without conditions has no row.');
  return { jobs, outbox, open: await queryRows<OpenRow>(db, openSql), commitWaitSeconds: commits.waitSeconds };
};
