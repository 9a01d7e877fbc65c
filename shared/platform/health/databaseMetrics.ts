/** Metrics of PostgreSQL: what is open in the whole database, which every process shows alike, and the process's own connections. */
import { Gauge, Registry } from 'prom-client';
import { jobs as jobCatalogue } from '../../catalogue/jobs.ts';
import { readPoolUsage, type PoolUsage } from '../db/knex.ts';
import { queryRow, statement } from '../db/sql.ts';
import type { PlatformDeps } from '../deps.ts';
import { countMax, readDatabaseFigures, type DatabaseFigures } from './databaseFigures.ts';
import { addFigureGauges, createFigures, figuresOwner } from './figures.ts';

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
      help: '1 while a worker holds the publisher’s lease, else 0. Of the whole database.',
      samples: ({ outbox }) => [{ value: outbox.held ? 1 : 0 }],
    },
    {
      name: 'console_commit_wait_seconds',
      help: 'How long the oldest commit waits for a synchronous standby; 0 without one. Of the whole database.',
      samples: ({ commitWaitSeconds }) => [{ value: commitWaitSeconds }],
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
