/** `npm run doctor` against real servers that are set up wrong on purpose, one thing at a time. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { readConfig } from '../../shared/platform/core/config.ts';
import { checkClock } from '../../shared/tools/doctor/finding.ts';
import {
  checkDataDir,
  checkNode,
  checkOpenFiles,
  checkPoolSizes,
  checkPublicUrl,
} from '../../shared/tools/doctor/machine.ts';
import { checkPostgresTls } from '../../shared/tools/doctor/postgres.ts';
import { checkRedisAddress } from '../../shared/tools/doctor/redis.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { startPostgres, type PostgresServer } from '../../shared/tools/services/postgres.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import { canCluster, startRedisCluster } from '../../shared/tools/services/redisCluster.mjs';
import { request } from '../support/http.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { startProgram } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld } from '../support/world.ts';

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
}

const instructions = readFileSync(new URL('../../docs/production.md', import.meta.url), 'utf8');
/** The rights of the service's user of Redis, as docs/production.md gives them. */
const aclOf = (password: string): string[] =>
  (/^ACL SETUSER (console .+)$/m.exec(instructions)?.[1] ?? '').replace('>…', `>${password}`).split(' ');
/** What a Redis Cluster needs besides. */
const clusterAcl = (/A Redis Cluster also needs `([^`]+)`/.exec(instructions)?.[1] ?? '').split(' ');
/** The statements that make the roles and the database; the server of the tests has roles of these names. */
const setUpSql = (password: string): string[] =>
  (/```sql\n(.+?)```/s.exec(instructions)?.[1] ?? '')
    .replaceAll('…', password)
    .replaceAll('console_', 'made_')
    .replaceAll('database console', 'database made')
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '');

describe('npm run doctor', () => {
  // The Redis in JavaScript, for machines without another one, has no users.
  before(async function () {
    if (!(await canCluster())) this.skip();
  });
  let dir: string;
  let postgres: PostgresServer;
  let redis: RedisServer;
  let owner: pg.Client;
  let redisOwner: Redis;
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
    healthy = {
      DATABASE_URL: postgres.url,
      MIGRATE_DATABASE_URL: postgres.ownerUrl,
      REDIS_URL: redis.url.replace('redis://', 'redis://console:only-for-tests@'),
      PUBLIC_URL: 'https://console.example.com',
      TRUST_PROXY: '1',
      DATA_DIR: dir,
    };
  });
  after(async () => {
    await owner.end();
    redisOwner.disconnect();
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

  it('finds nothing to change in a set-up that is right, a line for each check', async () => {
    const { code, output } = await run();
    expect(code, output).to.equal(0);
    const lines = output.trimEnd().split('\n');
    expect(lines.at(-1)).to.match(/^0 fail, 0 warn, \d\d ok$/);
    for (const line of lines.slice(0, -1)) expect(line).to.match(/^ok {4}[a-zA-Z._]+: \S/);
    for (const check of ['node', 'postgres.version', 'postgres.schema', 'redis.version', 'redis.acl', 'dataDir'])
      expect(output).to.include(` ${check}: `);
  });

  it('finds nothing to change where docs/production.md was followed, also after a change of the role', async () => {
    for (const text of setUpSql('made-for-tests')) await owner.query(text);
    const address = (role: string): string => {
      const url = new URL(postgres.url);
      [url.username, url.password, url.pathname] = [role, 'made-for-tests', '/made'];
      return url.href;
    };
    await migrateDatabase(address('made_owner'), address('made_app'));
    const variables = (role: string) => ({ DATABASE_URL: address(role), MIGRATE_DATABASE_URL: address('made_owner') });
    expect((await diagnose(variables('made_app'))).problems).to.deep.equal([]);

    await owner.query("create role made_app_2 login password 'made-for-tests'");
    expect((await diagnose(variables('made_app_2'))).problems).to.include('fail postgres.grants');
    await migrateDatabase(address('made_owner'), address('made_app_2'));
    const misled = async (url: string): Promise<string> => {
      const found = await diagnose({ DATABASE_URL: address('made_app_2'), MIGRATE_DATABASE_URL: url });
      expect(found.problems).to.deep.equal(['fail postgres.migrate']);
      return found.text('postgres.migrate') ?? '';
    };
    expect(await misled(postgres.ownerUrl)).to.include('names the database console of another server or another name');
    expect(await misled(address('made_app'))).to.include('made_app of MIGRATE_DATABASE_URL does not own the tables');
    expect(await misled(address('made_owner').replace('made-for-tests', 'wrong'))).to.include('password');
    const administrator = new pg.Client({ connectionString: postgres.ownerUrl.replace(/\/console$/, '/made') });
    await administrator.connect();
    await administrator.query('drop owned by made_app');
    await administrator.query('drop role made_app');
    await administrator.end();
    expect((await diagnose(variables('made_app_2'))).problems).to.deep.equal([]);
  });

  it('fails for a role that owns the tables or has too many rights, and for one that lacks some', async () => {
    const asOwner = await diagnose({ DATABASE_URL: postgres.ownerUrl });
    expect(asOwner.code).to.equal(1);
    expect(asOwner.problems.filter((problem) => /role|auditLog|grants/.test(problem))).to.deep.equal([
      'fail postgres.role',
    ]);
    expect(asOwner.text('postgres.role')).to.include('superuser');

    const rights = await diagnoseWith(
      'grant update, delete on events to console_app',
      'revoke update, delete on events from console_app',
    );
    expect(rights.problems).to.deep.equal(['fail postgres.auditLog']);
    expect(rights.text('postgres.auditLog')).to.include('events delete, events update');

    const member = await diagnoseWith('grant console_owner to console_app', 'revoke console_owner from console_app');
    expect(member.problems).to.include('fail postgres.role');
    const maker = await diagnoseWith('alter role console_app createdb', 'alter role console_app nocreatedb');
    expect(maker.problems).to.deep.equal(['fail postgres.role']);

    const lacking = await diagnoseWith(
      'revoke insert on items from console_app',
      'grant insert on items to console_app',
    );
    expect(lacking.problems).to.deep.equal(['fail postgres.grants']);
    expect(lacking.text('postgres.grants')).to.include('items insert');
  });

  it('fails for settings that lose what was accepted', async () => {
    const off = 'alter role console_app set synchronous_commit = off';
    const role = await diagnoseWith(off, 'alter role console_app reset synchronous_commit');
    expect(role.problems).to.deep.equal(['fail postgres.synchronous_commit']);
    // The tests' own server waits for no disk.
    const { DATABASE_URL = '' } = process.env;
    const server = await diagnose({ DATABASE_URL, MIGRATE_DATABASE_URL: DATABASE_URL });
    expect(server.problems).to.include.members([
      'fail postgres.synchronous_commit',
      'fail postgres.fsync',
      'fail postgres.full_page_writes',
      'fail postgres.schema',
    ]);
  });

  it('fails for a locale in which accented letters have no case', async () => {
    await owner.query("create database plain template template0 encoding 'UTF8' locale_provider libc locale 'C'");
    const inPlain = (url: string): string => url.replace(/\/console$/, '/plain');
    const plain = await diagnose({
      DATABASE_URL: inPlain(postgres.url),
      MIGRATE_DATABASE_URL: inPlain(postgres.ownerUrl),
    });
    expect(plain.problems).to.deep.equal(['fail postgres.schema', 'fail postgres.locale']);
  });

  it('fails for a schema that is older than the build, and says what to run', async () => {
    const old = await diagnoseWith(
      'update schema_version set version = version - 1',
      'update schema_version set version = version + 1',
    );
    expect(old.problems).to.deep.equal(['fail postgres.schema']);
    expect(old.text('postgres.schema')).to.include('npm run migrate');
  });

  it('fails when the processes may open more connections than there are', async () => {
    const many = await diagnose({}, ['--apis', '20', '--workers', '20']);
    expect(many.problems).to.deep.equal(['fail postgres.connections']);
    expect(many.text('postgres.connections')).to.include(
      'API processes (20) and workers (20) open up to 443 connections',
    );
    expect((await diagnose({ POOL_SIZE: '50', READ_POOL_SIZE: '40' })).problems).to.deep.equal([
      'fail postgres.connections',
    ]);
    const limited = await diagnoseWith(
      'alter role console_app connection limit 30',
      'alter role console_app connection limit -1',
    );
    expect(limited.problems).to.deep.equal(['fail postgres.connections']);
  });

  it('recognises PgBouncer, and what its transaction mode lacks', async () => {
    const { migrateDatabaseUrl } = readConfig(healthy);
    for (const mode of ['session', 'transaction'] as const) {
      const pool = await startPgBouncer([postgres.url, postgres.ownerUrl], mode);
      try {
        const DATABASE_URL = pool.address(postgres.url);
        const through = await diagnose({ DATABASE_URL, MIGRATE_DATABASE_URL: pool.address(migrateDatabaseUrl) });
        expect(through.text('postgres.pool')).to.include(`${mode} mode`);
        if (mode === 'session') expect(through.problems).to.deep.equal([]);
        else {
          expect(through.problems).to.include('warn postgres.migrate');
          const past = await diagnose({ DATABASE_URL });
          // A PgBouncer that knows no prepared statements does not let the schema's version be read either.
          const ofPool = ['postgres.pool', 'postgres.schema'];
          expect(past.problems.filter((problem) => !ofPool.some((check) => problem.endsWith(check)))).to.deep.equal([]);
          expect(past.problems.join()).to.include('postgres.pool');
          const settings = await diagnoseWithPool(DATABASE_URL);
          expect(settings.problems).to.include('fail postgres.sessionSettings');
        }
      } finally {
        await pool.stop();
      }
    }
  });

  /** Diagnoses while the role lacks one of its settings. */
  const diagnoseWithPool = async (url: string): Promise<Awaited<ReturnType<typeof diagnose>>> => {
    await owner.query('alter role console_app in database console reset plan_cache_mode');
    try {
      return await diagnose({ DATABASE_URL: url });
    } finally {
      await owner.query("alter role console_app in database console set plan_cache_mode = 'force_generic_plan'");
    }
  };

  it('fails for a Redis that evicts, and for a user who may not do what is needed', async () => {
    await redisOwner.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const evicting = await diagnose();
    await redisOwner.config('SET', 'maxmemory-policy', 'noeviction');
    expect(evicting.problems).to.deep.equal(['fail redis.eviction']);
    expect(evicting.text('redis.eviction')).to.include('allkeys-lru');

    await redisOwner.call('acl', 'setuser', 'console', '-eval', '-bzpopmin', 'resetchannels', '&other:*');
    const limited = await diagnose();
    await redisOwner.call('acl', 'setuser', 'console', '+eval', '+bzpopmin', '&console:*');
    expect(limited.problems).to.deep.equal(['fail redis.acl']);
    expect(limited.text('redis.acl')).to.include('bzpopmin, publish, eval, subscribe');
    // As Redis 6.2 takes `-@dangerous`.
    await redisOwner.call('acl', 'setuser', 'console', '-client');
    const unnamed = await diagnose();
    await redisOwner.call('acl', 'setuser', 'console', '+client|setname');
    expect(unnamed.text('redis.acl')).to.include('may not client|setname on');
    expect((await diagnose()).problems).to.deep.equal([]);
    const rights = aclOf('only-for-tests');
    expect(rights.indexOf('+client|setname')).to.be.above(rights.indexOf('-@dangerous'));
    const prefix = await diagnose({ REDIS_PREFIX: 'elsewhere' });
    expect(prefix.problems).to.deep.equal(['fail redis.acl']);
    await redisOwner.call('acl', 'log', 'reset');

    expect((await diagnose({ REDIS_URL: redis.url })).problems).to.deep.equal(['warn redis.user']);
  });

  it('passes an ACL with which API and workers do their work, and warns of those of another database under its prefix', async () => {
    const env = { REDIS_URL: healthy['REDIS_URL'] ?? '', REDIS_PREFIX: 'console' };
    const world = await newWorld({ server: false, workers: false, env });
    const programs = [await startProgram(world, 'api/main.ts'), await startProgram(world, 'workers/main.ts')];
    try {
      const { token } = await world.agent('admin');
      const origin = `http://127.0.0.1:${programs[0]?.port ?? ''}`;
      const call = (method: string, path: string, body?: object) =>
        request(method, `${origin}/api/env/demo${path}`, body, token);
      const item = await call('POST', '/items', { inbox: 'mail', title: 'One' });
      const operation = { type: 'state', state: 'waiting' };
      const bulk = await call('POST', '/bulk', { ids: [item.body.item.id], operation });
      expect(bulk.status, bulk.text).to.equal(202);
      await until('a worker did it', async () => {
        const { status } = (await call('GET', `/bulk/${String(bulk.body.bulk.id)}`)).body.bulk;
        return status === 'done';
      });
      expect((await request('GET', `${origin}/ready`, undefined, null)).body.degraded).to.deep.equal([]);
      // They are of another database than the one that is diagnosed.
      const shared = await until('both are noted', async () => {
        const found = await diagnose();
        return found.problems.length > 0 && found;
      });
      expect([shared.code, shared.problems]).to.deep.equal([0, ['warn redis.prefix']]);
      expect(shared.text('redis.prefix')).to.include('REDIS_PREFIX of its own');
      const alone = await diagnose({ DATABASE_URL: world.config.databaseUrl });
      expect(alone.problems).not.to.include('warn redis.prefix');
      const log = await redisOwner.call('acl', 'log');
      expect(log, 'nothing was refused').to.deep.equal([]);
    } finally {
      for (const running of programs) await running.end();
      await world.close();
      await redisOwner.del('console:sites');
    }
  });

  it('checks a Redis Cluster, and the rights that one needs besides', async () => {
    const cluster = await startRedisCluster({ dir: join(dir, 'cluster') });
    try {
      const as = (user: string): string => cluster.url.replace('://', `://${user}:only-for-tests@`);
      for (const node of cluster.nodes) {
        const client = new Redis(node.url);
        await client.call('acl', 'setuser', ...aclOf('only-for-tests'), ...clusterAcl);
        client.disconnect();
      }
      const found = await diagnose({ REDIS_URL: as('console') });
      expect(found.problems).to.deep.equal([]);
      expect((await diagnose({ REDIS_URL: as('nobody') })).problems).to.deep.equal(['fail redis']);
    } finally {
      await cluster.stop();
    }
  });

  it('says what can’t be reached, and no password', async () => {
    const wrong = await run({
      REDIS_URL: redis.url.replace('redis://', 'redis://console:not-the-passw0rd@'),
      DATABASE_URL: postgres.url.replace(/:[^:@]+@/, ':not-the-passw0rd@'),
    });
    expect(wrong.code).to.equal(1);
    expect(wrong.output).to.match(/^fail {2}postgres: PostgreSQL at 127\.0\.0\.1:\d+ can’t be reached/m);
    expect(wrong.output).to.match(
      /^fail {2}redis: Redis at 127\.0\.0\.1:\d+ can’t be reached with REDIS_URL: .*WRONGPASS/m,
    );
    for (const secret of ['not-the-passw0rd', 'only-for-tests', new URL(postgres.url).password])
      expect(wrong.output).not.to.include(secret);
  });

  it('says why TLS fails at either end, and always ends with a summary', async () => {
    const certificate = join(dir, 'certificate.pem');
    const key = join(dir, 'key.pem');
    const made = await runProcess(
      ['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '2'].concat([
        '-keyout',
        key,
        '-out',
        certificate,
      ]),
    );
    expect(made.code, made.output).to.equal(0);
    // Answers each alert with broken records, so that the client's socket fails twice.
    const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) });
    server.on('tlsClientError', () => undefined);
    server.on('secureConnection', (socket) => socket.on('error', () => undefined));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    try {
      for (const [url, hint] of [
        [`rediss://console:x@127.0.0.1:${String(port)}`, 'NODE_EXTRA_CA_CERTS'],
        [`redis://console:x@127.0.0.1:${String(port)}`, 'rediss://'],
        [redis.url.replace('redis://', 'rediss://'), 'does it speak TLS there?'],
      ] as const) {
        const { code, output } = await run({ REDIS_URL: url });
        expect(code, output).to.equal(1);
        expect(output).to.match(/^fail {2}redis: Redis at 127\.0\.0\.1:\d+ can’t be reached with REDIS_URL: /m);
        expect(output, output).to.include(hint);
        expect(output.trimEnd().split('\n').at(-1)).to.match(/^1 fail, \d+ warn, \d+ ok$/);
      }
    } finally {
      server.close();
    }
  });

  it('refuses a number of processes that is none', async () => {
    const { code, output } = await run({}, ['--apis', 'many']);
    expect(code).to.equal(2);
    expect(output).to.include('--apis must be a number of processes, not "many".');
  });

  it('judges addresses, versions, clocks and folders', async () => {
    const statusOf = (findings: readonly Finding[], check: string): string | undefined =>
      findings.find((finding) => finding.check === check)?.status;
    const postgresTls = (query: string, host = 'db.example.com'): string =>
      checkPostgresTls(`postgres://app:secret@${host}/console${query}`).status;
    expect(['', '?sslmode=no-verify', '?sslmode=verify-full'].map((query) => postgresTls(query))).to.deep.equal([
      'fail',
      'warn',
      'ok',
    ]);
    expect(postgresTls('', '[::1]:5432')).to.equal('ok');
    // A name of a container's network, which may be one machine's own; an address is not.
    expect(['postgres:5432', '10.0.0.5', '[fd00::5]'].map((host) => postgresTls('', host))).to.deep.equal([
      'warn',
      'fail',
      'fail',
    ]);
    const redisOf = (url: string): (string | undefined)[] =>
      ['redis.tls', 'redis.user'].map((check) => statusOf(checkRedisAddress(url), check));
    expect(redisOf('redis://cache.example.com')).to.deep.equal(['fail', 'fail']);
    expect(redisOf('rediss://:secret@cache.example.com')).to.deep.equal(['ok', 'warn']);
    expect(redisOf('rediss-cluster://console:secret@a.example.com,b.example.com')).to.deep.equal(['ok', 'ok']);
    expect(redisOf('redis://localhost')).to.deep.equal(['ok', 'warn']);
    expect(redisOf('redis://:secret@redis:6379')).to.deep.equal(['warn', 'warn']);
    expect(redisOf('redis-cluster://console:secret@redis-1,cache.example.com')).to.deep.equal(['fail', 'ok']);
    expect(redisOf('redis://redis')).to.deep.equal(['warn', 'fail']);
    const publicUrl = (url: string, trustProxy: (() => boolean) | null = null): string[] =>
      checkPublicUrl({ publicUrl: url, trustProxy }).map(({ status }) => status);
    expect(publicUrl('http://127.0.0.1:3000')).to.deep.equal(['warn']);
    expect(publicUrl('http://console.example.com')).to.deep.equal(['fail']);
    expect(publicUrl('https://console.example.com')).to.deep.equal(['ok', 'warn']);
    expect(publicUrl('https://console.example.com', () => true)).to.deep.equal(['ok', 'ok']);
    expect(
      ['18.20.0', '20.18.9', '20.19.0', '21.7.0', '22.11.0', '22.12.0', '24.1.0'].filter(
        (version) => checkNode(version).status === 'ok',
      ),
    ).to.deep.equal(['20.19.0', '22.12.0', '24.1.0']);
    const sizes = (poolSize: number, readPoolSize: number): string => checkPoolSizes({ poolSize, readPoolSize }).status;
    expect([sizes(6, 6), sizes(2, 6), sizes(6, 1)]).to.deep.equal(['ok', 'warn', 'warn']);
    const files = (limit: string): string =>
      checkOpenFiles(`Max open files            ${limit}      4096   files`).status;
    expect(['64', '1024', 'unlimited'].map(files)).to.deep.equal(['warn', 'ok', 'ok']);
    const clock = (ms: number) => checkClock('clock', () => Promise.resolve(Date.now() + ms));
    expect((await clock(0)).status).to.equal('ok');
    expect(await clock(-65_000)).to.include({ status: 'warn' });
    expect((await clock(-65_000)).text).to.include('65.0 s behind');
  });

  it('looks at DATA_DIR in a checkout alone, as an image has nothing that writes there', async () => {
    const statuses = async (dataDir: string, here?: string): Promise<string[]> =>
      (await checkDataDir(dataDir, here)).map(({ status }) => status);
    await writeFile(join(dir, 'file'), '');
    const [writable, broken] = [join(dir, 'not', 'yet'), join(dir, 'file', 'data')];
    expect(await statuses(writable)).to.deep.equal(['ok']);
    expect(await statuses(broken)).to.deep.equal(['warn']);
    const built = pathToFileURL(join(dir, 'app/dist/shared/tools/doctor/machine.js')).href;
    expect(await statuses(broken, built)).to.deep.equal([]);
    await mkdir(join(dir, 'app/shared/tools/services'), { recursive: true });
    await writeFile(join(dir, 'app/shared/tools/services/launch.mjs'), '');
    expect(await statuses(broken, built), 'the build of a checkout').to.deep.equal(['warn']);
  });

  it('passes with warnings in the set-up of compose.yaml, which is on one machine', () => {
    const findings = [
      checkPostgresTls('postgres://console_app:secret@postgres:5432/console'),
      ...checkRedisAddress('redis://:secret@redis:6379'),
      ...checkPublicUrl({ publicUrl: 'http://localhost:8080', trustProxy: () => true }),
    ];
    expect(findings.map(({ status, check }) => `${status} ${check}`)).to.deep.equal([
      'warn postgres.tls',
      'warn redis.tls',
      'warn redis.user',
      'warn publicUrl',
    ]);
    for (const { text } of findings.slice(0, 2)) expect(text).to.include('a network that does not leave this machine');
  });
});
