/** Shared set-up of the tests of the doctor: servers of their own, set up as docs/production.md says, and its findings about them. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { Redis } from 'ioredis';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { startPostgres, type PostgresServer } from '../../shared/tools/services/postgres.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import { canCluster } from '../services/redisCluster.mjs';
import { newAuthority } from '../support/certificates.ts';

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
}

const instructions = readFileSync(new URL('../../docs/production.md', import.meta.url), 'utf8');
/** The rights of the service's user of Redis, as docs/production.md gives them. */
export const aclOf = (password: string): string[] =>
  (/^ACL SETUSER (console .+)$/m.exec(instructions)?.[1] ?? '').replace('>…', `>${password}`).split(' ');
/** What a Redis Cluster needs besides. */
export const clusterAcl = (/A Redis Cluster also needs `([^`]+)`/.exec(instructions)?.[1] ?? '').split(' ');
/** The statements that make the roles and the database; the server of the tests has roles of these names. */
export const setUpSql = (password: string): string[] =>
  (/```sql\n(.+?)```/s.exec(instructions)?.[1] ?? '')
    .replaceAll('…', password)
    .replaceAll('console_', 'made_')
    .replaceAll('database console', 'database made')
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '');

/** To be called in a suite: opens the world before its tests and closes it after them. */
export const useDoctor = () => {
  // The Redis in JavaScript, for machines without another one, has no users.
  before(async function () {
    if (!(await canCluster())) this.skip();
  });
  let dir: string;
  let postgres: PostgresServer;
  let redis: RedisServer;
  let owner: pg.Client;
  let redisOwner: Redis;
  /** A load balancer at PUBLIC_URL. */
  let proxy: Server;
  let healthy: Record<string, string>;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-doctor-'));
    [postgres, redis] = await Promise.all([
      startPostgres({ dir: join(dir, 'postgres') }),
      startRedis({ dir: join(dir, 'redis') }),
    ]);
    await migrateDatabase(postgres.ownerUrl, postgres.url);
    owner = new pg.Client({ connectionString: postgres.ownerUrl, application_name: 'console-test' });
    await owner.connect();
    redisOwner = new Redis(redis.url);
    await redisOwner.call('acl', 'setuser', ...aclOf('only-for-tests'));
    const shown = { cert: join(dir, 'proxy.pem'), key: join(dir, 'proxy.key') };
    const authority = await newAuthority(dir, 'ours');
    await authority.issue(shown, { untilMs: 60 * 86_400_000 });
    proxy = createServer({ cert: readFileSync(shown.cert), key: readFileSync(shown.key) });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    healthy = {
      DATABASE_URL: postgres.url,
      MIGRATE_DATABASE_URL: postgres.ownerUrl,
      REDIS_URL: redis.url.replace('redis://', 'redis://console:only-for-tests@'),
      PUBLIC_URL: `https://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`,
      NODE_EXTRA_CA_CERTS: authority.file,
      TRUST_PROXY: '1',
      DATA_DIR: dir,
    };
  });
  after(async () => {
    await owner.end();
    redisOwner.disconnect();
    proxy.close();
    await redis.stop();
    await postgres.stop('immediate');
    await rm(dir, { recursive: true, force: true });
  });

  const run = async (
    more: Readonly<Record<string, string>> = {},
    args: readonly string[] = [],
  ): Promise<{ code: number | null; output: string }> => {
    const env = { PATH: process.env['PATH'], ...healthy, ...more };
    const { code, output } = await runProcess([...(await program('shared/tools/doctor/main.ts')), ...args], { env });
    return { code, output };
  };

  /** Returns the findings that are not ok, as `status check`, and the texts of all. */
  const diagnose = async (
    more: Readonly<Record<string, string>> = {},
    args: readonly string[] = [],
  ): Promise<{ code: number | null; problems: string[]; text: (check: string) => string }> => {
    const { code, output } = await run(more, ['--json', ...args]);
    const { findings } = JSON.parse(output) as { findings: Finding[] };
    return {
      code,
      problems: findings.filter(({ status }) => status !== 'ok').map(({ status, check }) => `${status} ${check}`),
      text: (check) => findings.find((finding) => finding.check === check)?.text ?? '',
    };
  };

  /** Diagnoses between two statements of the owner. */
  const diagnoseWith = async (change: string, back: string): Promise<Awaited<ReturnType<typeof diagnose>>> => {
    await owner.query(change);
    try {
      return await diagnose();
    } finally {
      await owner.query(back);
    }
  };

  return {
    run,
    diagnose,
    diagnoseWith,
    get dir() {
      return dir;
    },
    get postgres() {
      return postgres;
    },
    get redis() {
      return redis;
    },
    get owner() {
      return owner;
    },
    get redisOwner() {
      return redisOwner;
    },
    get healthy() {
      return healthy;
    },
  };
};
