/** Durable jobs that do nothing in two libraries that keep them in PostgreSQL: added at once, and one at a time as they come. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { concurrency } from './jobKinds.ts';

export interface JobPeer {
  /** Adds `count` jobs in one statement; each is handed `at`. */
  add(count: number, at: number): Promise<unknown>;
  /** Returns whether no job is left, waiting or under way. */
  isEmpty(): Promise<boolean>;
  close(): Promise<unknown>;
}

export type OpenJobPeer = (folder: string, started: (at: number) => void) => Promise<JobPeer>;

interface Payload {
  readonly at: number;
}

/** The owner's, as both make a schema of their own. */
const connectionString = process.env['MIGRATE_DATABASE_URL'] ?? '';

const ownPool = async (drop: string) => {
  const pool = new pg.Pool({ connectionString, max: 2 });
  await pool.query(`drop schema if exists ${drop} cascade`);
  return {
    query: (text: string, values: readonly unknown[] = []) => pool.query<{ empty: boolean }>(text, [...values]),
    close: async () => {
      await pool.query(`drop schema if exists ${drop} cascade`);
      await pool.end();
    },
  };
};

/** As much of graphile-worker as is used. */
interface GraphileWorker {
  readonly Logger: new (factory: () => () => void) => object;
  run(options: object): Promise<{ stop(): Promise<void> }>;
}

const graphileWorker: OpenJobPeer = async (folder, started) => {
  const { run, Logger } = createRequire(join(folder, 'package.json'))('graphile-worker') as GraphileWorker;
  const own = await ownPool('graphile_worker');
  const runner = await run({
    connectionString,
    concurrency,
    maxPoolSize: 10,
    noHandleSignals: true,
    logger: new Logger(() => () => undefined),
    taskList: {
      noop: ({ at }: Payload) => {
        started(at);
      },
    },
  });
  return {
    add: (count, at) =>
      own.query(
        "select graphile_worker.add_job('noop', json_build_object('at', $2::float8)) from generate_series(1, $1)",
        [count, at],
      ),
    isEmpty: async () =>
      (await own.query('select not exists (select from graphile_worker.jobs) as empty')).rows[0]?.empty === true,
    close: async () => {
      await runner.stop();
      await own.close();
    },
  };
};

/** As much of pg-boss as is used. */
interface PgBoss {
  on(event: 'error', listen: () => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  insert(jobs: readonly object[]): Promise<unknown>;
  work(
    name: string,
    options: object,
    handle: (jobs: readonly { readonly data: Payload }[]) => Promise<void>,
  ): Promise<unknown>;
  stop(options: object): Promise<void>;
}

/** It asks twice a second at the most, so each of its workers takes many at a time. */
const bossWorkers = 10;
const bossBatch = 500;

const pgBoss: OpenJobPeer = async (folder, started) => {
  const Boss = createRequire(join(folder, 'package.json'))('pg-boss') as new (options: object) => PgBoss;
  const own = await ownPool('pgboss');
  const boss = new Boss({ connectionString, max: 10 });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue('noop');
  for (let worker = 0; worker < bossWorkers; worker++)
    await boss.work('noop', { batchSize: bossBatch, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      for (const { data } of jobs) started(data.at);
    });
  return {
    add: (count, at) => boss.insert(Array.from({ length: count }, () => ({ name: 'noop', data: { at } }))),
    isEmpty: async () =>
      (
        await own.query(
          "select not exists (select from pgboss.job where name = 'noop' and state < 'completed') as empty",
        )
      ).rows[0]?.empty === true,
    close: async () => {
      await boss.stop({ graceful: true, wait: true });
      await own.close();
    },
  };
};

export const jobPeers = { graphileWorker, pgBoss } as const;
