/** A whole installation of its own: durable PostgreSQL and Redis, API and worker processes, everything killable. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrateDatabase } from '../../../migrations/migrate.ts';
import { isDbUnavailable } from '../../../shared/platform/db/errors.ts';
import { freePort } from '../../../shared/tools/services/ports.mjs';
import { startPostgres, type PostgresServer } from '../../../shared/tools/services/postgres.mjs';
import { startRedis, type RedisServer } from '../../../shared/tools/services/redis.mjs';
import { until } from '../../support/until.ts';
import { newStage, type Stage } from './stage.ts';
import { Unit } from './unit.ts';

export interface SiteOptions {
  readonly apis: number;
  readonly workers: number;
  /** Opens another PostgreSQL than the one that comes with the clone. */
  readonly postgres?: (dir: string) => Promise<PostgresServer>;
  /** Further environment variables of its processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called once the schema is there, before a process runs. */
  readonly prepare?: (site: Pick<Site, 'postgres' | 'sql'>) => Promise<void>;
}

export interface Site {
  readonly dir: string;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  /** Environment variables by which programs find its servers. */
  readonly servers: Readonly<Record<string, string>>;
  readonly apis: Unit[];
  readonly workers: Unit[];
  /** Addresses of an environment at each API, whether it is up or not. */
  bases(env: string): string[];
  baseOf(api: Unit, env: string): string;
  /** The port on which a process serves its metrics. */
  probePortOf(unit: Unit): number;
  /** A further API process; `changed` wins over the site's environment variables. */
  addApi(changed?: Readonly<Record<string, string>>): Promise<Unit>;
  stage(name: string): Promise<Stage>;
  /** Executes SQL as the owner, for what no endpoint shows; retries while PostgreSQL is unavailable. */
  sql<R extends object>(text: string, values?: unknown[]): Promise<R[]>;
  /** Resolves when everything that was accepted has been done and emitted. */
  settled(ms?: number): Promise<void>;
  /** Thaws and starts whichever of its processes are frozen or down. */
  mend(): Promise<void>;
  /** Processes of ours that ended though nobody ended them. */
  crashes(): string[];
  /** Times that processes of ours have blocked their event loop. */
  blockedLoops(): string[];
  /** What processes have said of a PostgreSQL that did not serve them. */
  outages(): string[];
  close(): Promise<void>;
}

const unsettled = `select (select count(*) from outbox)::int + (select count(*) from staged_jobs where due_at is not null)::int
  + (select count(*) from bulks where finished_at is null)::int as n`;

export const openSite = async ({
  apis: apiCount,
  workers: workerCount,
  postgres: openPostgres = (dir) => startPostgres({ dir }),
  env: more = {},
  prepare = () => Promise.resolve(),
}: SiteOptions): Promise<Site> => {
  const parent = process.env['DATA_DIR'] ?? tmpdir();
  mkdirSync(parent, { recursive: true });
  const dir = mkdtempSync(join(parent, 'site-'));
  // PostgreSQL may have to run as another account.
  chmodSync(dir, 0o755);
  const [postgres, redis] = await Promise.all([
    openPostgres(join(dir, 'postgres')),
    startRedis({ dir: join(dir, 'redis') }),
  ]);
  await migrateDatabase(postgres.ownerUrl, postgres.url);
  const pool = new pg.Pool({ connectionString: postgres.ownerUrl, max: 2, connectionTimeoutMillis: 2_000 });
  pool.on('error', () => undefined);
  const sql = async <R extends object>(text: string, values: unknown[] = []): Promise<R[]> => {
    // Several statements in one text have no rows of their own.
    const ask = async (): Promise<{ rows?: R[] } | null> => {
      try {
        return (await pool.query(text, values)) as { rows?: R[] };
      } catch (error) {
        if (!isDbUnavailable(error)) throw error;
        return null;
      }
    };
    return (await until('PostgreSQL answers', ask, 60_000)).rows ?? [];
  };
  await prepare({ postgres, sql });
  const ports = new Map<Unit, number>();
  const probePorts = new Map<Unit, number>();
  const servers = {
    DATABASE_URL: postgres.url,
    MIGRATE_DATABASE_URL: postgres.ownerUrl,
    REDIS_URL: redis.url,
    REDIS_PREFIX: 'chaos',
    DATA_DIR: dir,
  };
  const shared = {
    ...process.env,
    ...servers,
    RATE_LIMIT: '1000000',
    RATE_BURST: '1000000',
    WRITE_BYTES_PER_DAY: '0',
    LIVE_PER_TOKEN: '1000',
    LOG_LEVEL: 'info',
    ...more,
  };
  const apis: Unit[] = [];
  const workers: Unit[] = [];

  const addApi = async (changed: Readonly<Record<string, string>> = {}): Promise<Unit> => {
    const port = await freePort();
    const name = `api${String(ports.size + 1)}`;
    const unit = new Unit({
      kind: 'api',
      name,
      env: { ...shared, PORT: String(port), ...changed },
      log: join(dir, `${name}.log`),
    });
    ports.set(unit, port);
    await unit.start();
    return unit;
  };
  const addWorker = async (n: number): Promise<Unit> => {
    const port = await freePort();
    const unit = new Unit({
      kind: 'worker',
      name: `worker${String(n)}`,
      env: { ...shared, WORKER_PORT: String(port) },
      log: join(dir, `worker${String(n)}.log`),
    });
    probePorts.set(unit, port);
    await unit.start();
    return unit;
  };
  apis.push(...(await Promise.all(Array.from({ length: apiCount }, () => addApi()))));
  workers.push(...(await Promise.all(Array.from({ length: workerCount }, (_, n) => addWorker(n + 1)))));

  const baseOf = (api: Unit, env: string): string => `http://127.0.0.1:${String(ports.get(api))}/api/env/${env}`;
  const everyone = (): Unit[] => [...ports.keys(), ...workers];
  const site: Site = {
    dir,
    postgres,
    redis,
    servers,
    apis,
    workers,
    bases: (env) => apis.map((api) => baseOf(api, env)),
    baseOf,
    probePortOf: (unit) => ports.get(unit) ?? probePorts.get(unit) ?? 0,
    addApi,
    stage: (name) => newStage(site, name),
    sql,
    settled: async (ms = 60_000) => {
      await until('everything is done and told', async () => (await sql<{ n: number }>(unsettled))[0]?.n === 0, ms);
    },
    mend: async () => {
      for (const unit of everyone()) unit.thaw();
      await Promise.all([...apis, ...workers].map((unit) => unit.start()));
    },
    crashes: () => everyone().flatMap(({ crashes }) => crashes),
    blockedLoops: () => everyone().flatMap((unit) => unit.blockedLoops()),
    outages: () => everyone().flatMap((unit) => unit.outages()),
    close: async () => {
      await Promise.all(everyone().map((unit) => unit.kill()));
      await pool.end();
      await Promise.all([postgres.stop(), redis.stop()]);
      if (process.env['CHAOS_KEEP'] === undefined)
        rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
  return site;
};
