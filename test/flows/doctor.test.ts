/** `npm run doctor` against real servers that are set up wrong on purpose, one thing at a time. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { readConfig } from '../../shared/platform/config/config.ts';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { startRedisCluster } from '../services/redisCluster.mjs';
import { newAuthority } from '../support/certificates.ts';
import { request } from '../support/http.ts';
import { startPgBouncer } from '../support/pgbouncer.ts';
import { startProgram } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld } from '../support/world.ts';
import { aclOf, clusterAcl, setUpSql, useDoctor } from './doctorWorld.ts';

describe('npm run doctor', () => {
  const here = useDoctor();
  const { run, diagnose, diagnoseWith } = here;

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
    for (const text of setUpSql('made-for-tests')) await here.owner.query(text);
    const address = (role: string): string => {
      const url = new URL(here.postgres.url);
      [url.username, url.password, url.pathname] = [role, 'made-for-tests', '/made'];
      return url.href;
    };
    await migrateDatabase(address('made_owner'), address('made_app'));
    const variables = (role: string) => ({ DATABASE_URL: address(role), MIGRATE_DATABASE_URL: address('made_owner') });
    expect((await diagnose(variables('made_app'))).problems).to.deep.equal([]);

    await here.owner.query("create role made_app_2 login password 'made-for-tests'");
    expect((await diagnose(variables('made_app_2'))).problems).to.include('fail postgres.grants');
    await migrateDatabase(address('made_owner'), address('made_app_2'));
    const misled = async (url: string): Promise<string> => {
      const found = await diagnose({ DATABASE_URL: address('made_app_2'), MIGRATE_DATABASE_URL: url });
      expect(found.problems).to.deep.equal(['fail postgres.migrate']);
      return found.text('postgres.migrate') ?? '';
    };
    expect(await misled(here.postgres.ownerUrl)).to.include(
      'names the database console of another server or another name',
    );
    expect(await misled(address('made_app'))).to.include('made_app of MIGRATE_DATABASE_URL does not own the tables');
    expect(await misled(address('made_owner').replace('made-for-tests', 'wrong'))).to.include('password');
    const administrator = new pg.Client({ connectionString: here.postgres.ownerUrl.replace(/\/console$/, '/made') });
    await administrator.connect();
    await administrator.query('drop owned by made_app');
    await administrator.query('drop role made_app');
    await administrator.end();
    expect((await diagnose(variables('made_app_2'))).problems).to.deep.equal([]);
  });

  it('fails for a role that owns the tables or has too many rights, and for one that lacks some', async () => {
    const asOwner = await diagnose({ DATABASE_URL: here.postgres.ownerUrl });
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
    await here.owner.query("create database plain template template0 encoding 'UTF8' locale_provider libc locale 'C'");
    const inPlain = (url: string): string => url.replace(/\/console$/, '/plain');
    const plain = await diagnose({
      DATABASE_URL: inPlain(here.postgres.url),
      MIGRATE_DATABASE_URL: inPlain(here.postgres.ownerUrl),
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
    const { migrateDatabaseUrl } = readConfig(here.healthy);
    for (const mode of ['session', 'transaction'] as const) {
      const pool = await startPgBouncer([here.postgres.url, here.postgres.ownerUrl], mode);
      try {
        const DATABASE_URL = pool.address(here.postgres.url);
        const through = await diagnose({ DATABASE_URL, MIGRATE_DATABASE_URL: pool.address(migrateDatabaseUrl) });
        expect(through.text('postgres.pool')).to.include(`${mode} mode`);
        if (mode === 'session') {
          expect(through.problems).to.deep.equal([]);
          expect(through.text('postgres.connections')).to.include('lends 47 of the 47 connections');
        } else {
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

  it('fails for a pool in front that lends fewer connections than the processes may open', async () => {
    const pool = await startPgBouncer([here.postgres.url, here.postgres.ownerUrl], 'session', 20);
    try {
      const small = await diagnose({ DATABASE_URL: pool.address(here.postgres.url) });
      expect(small.problems).to.deep.equal(['fail postgres.connections']);
      expect(small.text('postgres.connections')).to.match(/lends \d+ of the 47 connections .* pool_size/);
    } finally {
      await pool.stop();
    }
  });

  it('fails where others, of roles whose sessions it may not see, leave too few connections', async () => {
    await here.owner.query("create role neighbour login password 'only-for-tests'");
    const url = new URL(here.postgres.url);
    [url.username, url.password] = ['neighbour', 'only-for-tests'];
    const calm = (await diagnose()).text('postgres.connections');
    const [, needed, given] = /open up to (\d+) connections, PostgreSQL gives this role (\d+)/.exec(calm) ?? [];
    const length = Number(given) - Number(needed) + 1;
    const others = Array.from({ length }, () => new pg.Client({ connectionString: url.href }));
    await Promise.all(others.map((client) => client.connect()));
    try {
      const crowded = await diagnose();
      expect(crowded.problems).to.deep.equal(['fail postgres.connections']);
      expect(crowded.text('postgres.connections')).to.match(/others have \d+ of them/);
    } finally {
      await Promise.all(others.map((client) => client.end()));
      await here.owner.query('drop role neighbour');
    }
  });

  it('fails while commits wait for a standby that is gone, and leaves no connection waiting', async () => {
    await here.owner.query("alter system set synchronous_standby_names = 'gone'");
    await here.owner.query('select pg_reload_conf()');
    try {
      const waiting = await diagnose();
      expect(waiting.problems).to.deep.equal(['fail postgres.commits']);
      expect(waiting.code).to.equal(1);
      expect(waiting.text('postgres.commits')).to.include('When the synchronous standby is gone');
      const { rows } = await here.owner.query("select 1 from pg_stat_activity where wait_event = 'SyncRep'");
      expect(rows).to.deep.equal([]);
    } finally {
      await here.owner.query('alter system reset synchronous_standby_names');
      await here.owner.query('select pg_reload_conf()');
    }
  });

  it('fails for a certificate of PostgreSQL that is about to expire', async () => {
    const authority = await newAuthority(here.dir, 'authority');
    const data = join(here.dir, 'postgres', 'data');
    const files = { cert: join(data, 'tls.crt'), key: join(data, 'tls.key') };
    const url = `${here.postgres.url}?sslmode=verify-full&sslrootcert=${authority.file}`;
    const { uid, gid } = await stat(data);
    const show = async (days: number): Promise<Awaited<ReturnType<typeof diagnose>>> => {
      await authority.issue(files, { untilMs: days * 86_400_000 });
      for (const file of Object.values(files) as string[]) {
        await chown(file, uid, gid);
        await chmod(file, 0o600);
      }
      await here.owner.query('select pg_reload_conf()');
      return until(
        'it shows it',
        async () => {
          const found = await diagnose({ DATABASE_URL: url });
          return (
            found
              .text('postgres.certificate')
              .includes(new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)) && found
          );
        },
        30_000,
      );
    };
    await authority.issue(files);
    for (const [name, value] of [
      ['ssl_cert_file', files.cert],
      ['ssl_key_file', files.key],
      ['ssl', 'on'],
    ])
      await here.owner.query(`alter system set ${String(name)} = '${String(value)}'`);
    try {
      expect((await show(60)).problems).to.deep.equal([]);
      const ending = await show(9);
      expect(ending.problems).to.deep.equal(['fail postgres.certificate']);
      expect(ending.text('postgres.certificate')).to.include('replace it');
    } finally {
      await here.owner.query('alter system reset ssl');
      await here.owner.query('select pg_reload_conf()');
    }
  });

  /** Diagnoses while the role lacks one of its settings. */
  const diagnoseWithPool = async (url: string): Promise<Awaited<ReturnType<typeof diagnose>>> => {
    await here.owner.query('alter role console_app in database console reset plan_cache_mode');
    try {
      return await diagnose({ DATABASE_URL: url });
    } finally {
      await here.owner.query("alter role console_app in database console set plan_cache_mode = 'force_generic_plan'");
    }
  };

  it('fails for a Redis that evicts, and for a user who may not do what is needed', async () => {
    await here.redisOwner.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const evicting = await diagnose();
    await here.redisOwner.config('SET', 'maxmemory-policy', 'noeviction');
    expect(evicting.problems).to.deep.equal(['fail redis.eviction']);
    expect(evicting.text('redis.eviction')).to.include('allkeys-lru');

    await here.redisOwner.call('acl', 'setuser', 'console', '-eval', '-bzpopmin', 'resetchannels', '&other:*');
    const limited = await diagnose();
    await here.redisOwner.call('acl', 'setuser', 'console', '+eval', '+bzpopmin', '&console:*');
    expect(limited.problems).to.deep.equal(['fail redis.acl']);
    expect(limited.text('redis.acl')).to.include('bzpopmin, publish, eval, subscribe');
    // As Redis 6.2 takes `-@dangerous`.
    await here.redisOwner.call('acl', 'setuser', 'console', '-client');
    const unnamed = await diagnose();
    await here.redisOwner.call('acl', 'setuser', 'console', '+client|setname');
    expect(unnamed.text('redis.acl')).to.include('may not client|setname on');
    expect((await diagnose()).problems).to.deep.equal([]);
    const rights = aclOf('only-for-tests');
    expect(rights.indexOf('+client|setname')).to.be.above(rights.indexOf('-@dangerous'));
    const prefix = await diagnose({ REDIS_PREFIX: 'elsewhere' });
    expect(prefix.problems).to.deep.equal(['fail redis.acl']);
    await here.redisOwner.call('acl', 'log', 'reset');

    expect((await diagnose({ REDIS_URL: here.redis.url })).problems).to.deep.equal(['warn redis.user']);
  });

  it('passes an ACL with which API and workers do their work, and fails for those of another database under its prefix', async () => {
    const env = { REDIS_URL: here.healthy['REDIS_URL'] ?? '', REDIS_PREFIX: 'console' };
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
      expect([shared.code, shared.problems]).to.deep.equal([1, ['fail redis.prefix']]);
      expect(shared.text('redis.prefix')).to.include('REDIS_PREFIX of its own');
      const alone = await diagnose({ DATABASE_URL: world.config.databaseUrl });
      expect(alone.problems).not.to.include('fail redis.prefix');
      const log = await here.redisOwner.call('acl', 'log');
      expect(log, 'nothing was refused').to.deep.equal([]);
    } finally {
      for (const running of programs) await running.end();
      await world.close();
      await here.redisOwner.del('console:sites');
    }
  });

  it('checks a Redis Cluster, and the rights that one needs besides', async () => {
    const cluster = await startRedisCluster({ dir: join(here.dir, 'cluster') });
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
      REDIS_URL: here.redis.url.replace('redis://', 'redis://console:not-the-passw0rd@'),
      DATABASE_URL: here.postgres.url.replace(/:[^:@]+@/, ':not-the-passw0rd@'),
    });
    expect(wrong.code).to.equal(1);
    expect(wrong.output).to.match(/^fail {2}postgres: PostgreSQL at 127\.0\.0\.1:\d+ can’t be reached/m);
    expect(wrong.output).to.match(
      /^fail {2}redis: Redis at 127\.0\.0\.1:\d+ can’t be reached with REDIS_URL: .*WRONGPASS/m,
    );
    for (const secret of ['not-the-passw0rd', 'only-for-tests', new URL(here.postgres.url).password])
      expect(wrong.output).not.to.include(secret);
  });

  it('says why TLS fails at either end, and always ends with a summary', async () => {
    const certificate = join(here.dir, 'certificate.pem');
    const key = join(here.dir, 'key.pem');
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
        [here.redis.url.replace('redis://', 'rediss://'), 'does it speak TLS there?'],
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
});
