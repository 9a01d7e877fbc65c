/** Shared set-up of the tests of workers: a fresh database and Redis prefix, the crew's parts in this process or in one of their own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { closeDeps, openDeps, type Deps } from '../../shared/deps.ts';
import { readConfig } from '../../shared/platform/config/config.ts';
import { newId } from '../../shared/platform/ids.ts';
import { newSealKey } from '../../shared/platform/listing/seal.ts';
import { channels, type LiveBatch } from '../../shared/platform/redis/bus.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import type { RunningService } from '../../workers/wakeSignal.ts';
import { newDatabase, redisUrl, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

export interface JobsWorld {
  readonly deps: Deps;
  readonly owner: pg.Pool;
  readonly env: Readonly<Record<string, string>>;
  sql<R extends object = Record<string, unknown>>(text: string, values?: unknown[]): Promise<R[]>;
  /** Stages a job that is due at once (or at `dueAt`) and nudges; returns its id. */
  stage(name: string, payload?: object, dueAt?: number): Promise<string>;
  /** Every live batch of an environment from now on. */
  hear(env: number): Promise<LiveBatch[]>;
  /** Stops it at the end, should the test not have done so. */
  own<R extends RunningService>(running: R): R;
  /** A process of the real crew with probe jobs, see child.ts. */
  child(part: 'crew' | 'publisher'): Promise<ChildProcess>;
  close(): Promise<void>;
}

const killed = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};

/** With two environments, on a database of its own unless one is given. */
export const newJobsWorld = async (given?: TestDatabase): Promise<JobsWorld> => {
  const database = given ?? (await newDatabase());
  const env = {
    DATABASE_URL: database.url,
    MIGRATE_DATABASE_URL: database.ownerUrl,
    REDIS_URL: redisUrl(),
    REDIS_PREFIX: `test-${randomBytes(6).toString('hex')}`,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
  };
  const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 20 });
  // Idle connections end with their server.
  owner.on('error', () => undefined);
  const sql = async <R extends object>(text: string, values: unknown[] = []): Promise<R[]> =>
    (await owner.query(text, values)).rows as R[];
  for (const i of [1, 2])
    await sql('insert into environments (id, name, seal_key, created_at) values ($1, $2, $3, 0)', [
      i,
      `env${String(i)}`,
      newSealKey(),
    ]);
  const deps = await openDeps(readConfig(env), 'test');
  await until('Redis is up', () => deps.bus.connected);
  const children: ChildProcess[] = [];
  const owned: RunningService[] = [];

  return {
    deps,
    owner,
    env,
    sql,
    stage: async (name, payload = {}, dueAt = deps.clock.now()) => {
      const id = newId('job');
      await sql(
        'insert into staged_jobs (id, env, name, payload, due_at, request_id, created_at) values ($1, 1, $2, $3, $4, $5, 0)',
        [id, name, payload, dueAt, `req_of_${id}`],
      );
      deps.bus.publish(channels.workAvailable, 'jobs');
      return id;
    },
    hear: async (number) => {
      const heard: LiveBatch[] = [];
      deps.bus.subscribe(channels.live(number), (text) => heard.push(JSON.parse(text) as LiveBatch));
      const channel = `${env.REDIS_PREFIX}:${channels.live(number)}`;
      await until(
        'the subscription stands',
        async () => ((await deps.redis.command.pubsub('NUMSUB', channel)) as unknown[])[1] === 1,
      );
      return heard;
    },
    own: (running) => {
      owned.push(running);
      return running;
    },
    child: async (part) => {
      const [node = '', ...args] = await program('test/workers/child.ts', [part]);
      const child = spawn(node, args, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      children.push(child);
      await once(child, 'message');
      return child;
    },
    close: async () => {
      await Promise.all([...children.map(killed), ...owned.map((running) => running.stop())]);
      await closeDeps(deps);
      await owner.end();
      await database.drop();
    },
  };
};
