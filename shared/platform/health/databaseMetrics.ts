/**
 * Metrics of PostgreSQL: what is open in the whole database, which every process shows alike, its own connections, and, of API
 * processes, the standbys. Each statement reads a bounded part of an index, however large the table has become.
 */
import { Gauge, Registry, Counter } from 'prom-client';
import { jobs as jobCatalogue } from '../../catalogue/jobs.ts';
import { openApprovalStatuses } from '../../catalogue/states/approvals.ts';
import { sqlList } from '../../catalogue/states/machine.ts';
import { openRunStatuses } from '../../catalogue/states/runs.ts';
import { isParkedJobSql, jobPhaseSql } from '../../catalogue/states/stagedJobs.ts';
import { type PoolUsage, type Db, readPoolUsage } from '../db/knex.ts';
import { ofEnvironment, queryRow, statement, queryRows } from '../db/sql.ts';
import { standbyOutcomes } from '../db/standby/standbys.ts';
import type { PlatformDeps } from '../deps.ts';
import { dbNowSql } from '../leases/leaderLease.ts';
import { addFigureGauges, createFigures, figuresOwner } from './figures.ts';

/** Rows of a state that are counted; as many stand for more. */
const countMax = 10_000;

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
    exists (select from leases where name like 'publisher%' and until > ${dbNowSql}) as held`,
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

/** Of each environment the first entry of the audit log behind the last range of its chain. */
const unchainedSql = statement(
  'health.unchained',
  `
  select min(next.at) as since from environments e
  cross join lateral (select coalesce((select c.last from audit_chain c where c.env = e.id order by c.n desc limit 1), 0) as last) head
  cross join lateral (
    select v.at from events v
    where ${ofEnvironment('v.env', 'e.id')} and v.id > head.last and v.verb is not null
    order by v.env desc, v.id limit 1) next`,
);

/** All of them; `$1` is the time in epoch ms, where one takes it. */
export const databaseStatements = [jobsSql, outboxSql, openSql, commitsSql, unchainedSql] as const;

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

interface DatabaseFigures {
  readonly jobs: readonly JobsRow[];
  readonly outbox: OutboxRow;
  readonly open: readonly OpenRow[];
  /** How long the oldest commit waits for a synchronous standby; 0: none does. */
  readonly commitWaitSeconds: number;
  /** Since when the oldest entry of the audit log is not chained; null: all are. */
  readonly unchainedSince: number | null;
}

/** Returns the figures at `now` (epoch ms); one statement after the other, so that they take one connection. */
export const readDatabaseFigures = async (db: Db, now: number): Promise<DatabaseFigures> => {
  const jobs = await queryRows<JobsRow>(db, jobsSql, [now]);
  const outbox = await queryRow<OutboxRow>(db, outboxSql);
  const commits = await queryRow<{ waitSeconds: number }>(db, commitsSql);
  if (outbox === undefined || commits === undefined) throw new Error('A statement without conditions has no row.');
  const open = await queryRows<OpenRow>(db, openSql);
  const unchained = await queryRow<{ since: number | null }>(db, unchainedSql);
  return {
    jobs,
    outbox,
    open,
    commitWaitSeconds: commits.waitSeconds,
    unchainedSince: unchained?.since ?? null,
  };
};

const jobKinds = Object.keys(jobCatalogue);
const jobStates = ['due', 'enqueued', 'leased', 'parked', 'failed'] as const;
const counted = `counted up to ${String(countMax)}`;

interface Figures extends DatabaseFigures {
  readonly now: number;
}

/** Returns the seconds since a time in epoch ms; 0 for none. */
const ageOf = (now: number, since: number | null): number => (since === null ? 0 : Math.max(0, now - since) / 1_000);

const countJobs = ({ jobs }: Figures, kind: string, state: string): number =>
  jobs.find((row) => row.name === kind && row.state === state)?.n ?? 0;

const oldestJob = ({ jobs, now }: Figures, kind: string): number =>
  Math.max(0, ...jobs.filter(({ name }) => name === kind).map(({ since }) => ageOf(now, since)));

const samplesOf =
  (of: 'runs' | 'approvals') =>
  ({ open }: Figures) =>
    open.filter((row) => row.of === of).map(({ n, status }) => ({ value: n, labels: { status } }));

const addDatabaseGauges = (registry: Registry, read: () => Promise<Figures | null>): void => {
  addFigureGauges(registry, read, [
    {
      name: 'console_jobs',
      help: `Background jobs by \`kind\` and \`state\`: due, enqueued (BullMQ has their id), leased (a worker has them), parked (they wait for the app), failed (given up, until somebody retries them or 7 days have passed); ${counted}. Of the whole database.`,
      labelNames: ['kind', 'state'],
      samples: (figures) =>
        jobKinds.flatMap((kind) =>
          jobStates.map((state) => ({ value: countJobs(figures, kind, state), labels: { kind, state } })),
        ),
    },
    {
      name: 'console_job_oldest_seconds',
      help: 'How long the oldest job that no worker has taken is due, by `kind`. Chunks of bulks take turns and may wait. Of the whole database.',
      labelNames: ['kind'],
      samples: (figures) => jobKinds.map((kind) => ({ value: oldestJob(figures, kind), labels: { kind } })),
    },
    {
      name: 'console_outbox_rows',
      help: `Committed messages that are not published, ${counted}. Of the whole database.`,
      samples: ({ outbox }) => [{ value: outbox.rows }],
    },
    {
      name: 'console_outbox_oldest_seconds',
      help: 'Age of the oldest message that is not published. Of the whole database.',
      samples: ({ outbox, now }) => [{ value: ageOf(now, outbox.since) }],
    },
    {
      name: 'console_stream_position',
      help: 'Sum of the positions of all live streams: messages published so far. Of the whole database.',
      samples: ({ outbox }) => [{ value: outbox.published }],
    },
    {
      name: 'console_publisher_up',
      help: '1 while a worker holds a publisher’s lease, else 0. Of the whole database.',
      samples: ({ outbox }) => [{ value: outbox.held ? 1 : 0 }],
    },
    {
      name: 'console_commit_wait_seconds',
      help: 'How long the oldest commit waits for a synchronous standby; 0 without one. Of the whole database.',
      samples: ({ commitWaitSeconds }) => [{ value: commitWaitSeconds }],
    },
    {
      name: 'console_audit_unchained_seconds',
      help: 'Age of the oldest entry of the audit log that is not in its chain. Of the whole database.',
      samples: ({ unchainedSince, now }) => [{ value: ageOf(now, unchainedSince) }],
    },
    {
      name: 'console_runs',
      help: `Runs that have not ended, by \`status\`, ${counted}. Of the whole database.`,
      labelNames: ['status'],
      samples: samplesOf('runs'),
    },
    {
      name: 'console_approvals',
      help: `Approvals that wait for a person, by \`status\`, ${counted}. Of the whole database.`,
      labelNames: ['status'],
      samples: samplesOf('approvals'),
    },
  ]);
};

type Tools = Pick<PlatformDeps, 'db' | 'reads' | 'probes' | 'clock' | 'config'>;

const addPoolGauges = (registry: Registry, { db, reads, config }: Pick<Tools, 'db' | 'reads' | 'config'>): void => {
  const pools: readonly (readonly [pool: string, size: number, usage: () => PoolUsage])[] = [
    ['changes', config.poolSize, () => readPoolUsage(db)],
    ['reads', config.readPoolSize, () => reads.usage()],
  ];
  new Gauge({
    name: 'console_postgres_connections',
    help: 'The process’s connections to PostgreSQL by `pool` (changes, reads) and `state` (used, idle).',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, , usage] of pools) {
        const { used, idle } = usage();
        this.set({ pool, state: 'used' }, used);
        this.set({ pool, state: 'idle' }, idle);
      }
    },
  });
  new Gauge({
    name: 'console_postgres_connections_max',
    help: 'POOL_SIZE and READ_POOL_SIZE, by `pool`.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, size] of pools) this.set({ pool }, size);
    },
  });
  new Gauge({
    name: 'console_postgres_waiting',
    help: 'Calls that wait for a connection, by `pool`.',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, , usage] of pools) this.set({ pool }, usage().waiting);
    },
  });
};

const answersSql = statement('health.answers', 'select 1 as answers');

/**
 * Returns the registry of a process. Neither its figures nor whether PostgreSQL answers are asked for on connections for
 * changes: all of these may wait for a lock or for a standby while PostgreSQL answers.
 */
export const createDatabaseMetrics = (tools: Tools): Registry => {
  const registry = new Registry();
  const { reads, probes, clock } = tools;
  const read = createFigures(async () => {
    const now = clock.now();
    return { ...(await readDatabaseFigures(reads.of(figuresOwner), now)), now };
  });
  const answers = createFigures(() => queryRow(probes, answersSql));
  addDatabaseGauges(registry, read);
  addPoolGauges(registry, tools);
  new Gauge({
    name: 'console_postgres_up',
    help: '1 while PostgreSQL answers this process, else 0.',
    registers: [registry],
    async collect() {
      this.set((await answers()) === null ? 0 : 1);
    },
  });
  return registry;
};

/** Returns the registry of a process. */
export const createStandbyMetrics = ({ standbys }: Pick<PlatformDeps, 'standbys'>): Registry => {
  const registry = new Registry();
  new Gauge({
    name: 'console_standby_up',
    help: '1 while reads go to a `standby`, 0 while the primary serves them because it is away, behind or promoted.',
    labelNames: ['standby'],
    registers: [registry],
    collect() {
      for (const { name, up } of standbys?.states() ?? []) this.set({ standby: name }, up ? 1 : 0);
    },
  });
  new Gauge({
    name: 'console_standby_lag_seconds',
    help: 'How far a `standby` is behind the primary at most; no sample while that is not known.',
    labelNames: ['standby'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, lagMs } of standbys?.states() ?? [])
        if (lagMs !== null) this.set({ standby: name }, lagMs / 1_000);
    },
  });
  new Counter({
    name: 'console_standby_reads_total',
    help: 'Reads that a standby may serve by `outcome`: served by one; by the primary as the caller has just changed something (own), as the standby lacks what is published (late), as none is up (away), or after it failed (failed, also counted as served).',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      if (standbys === null) return;
      for (const outcome of standbyOutcomes) this.inc({ outcome }, standbys.count(outcome));
    },
  });
  return registry;
};
