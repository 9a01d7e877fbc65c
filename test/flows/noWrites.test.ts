/** `npm run doctor` and `npm run migrate` at servers that take no writes: standbys, read-only ones, full ones. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import { canCluster } from '../services/redisCluster.mjs';
import { canMount, startOnSmallDisk } from '../support/smallDisk.ts';
import { startReplication, type Replication } from '../support/standby.ts';
import { until } from '../support/until.ts';

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
}

type Variables = Readonly<Record<string, string>>;

/** Runs statements one by one, as some can't be part of a transaction, in a session that writes whatever the settings say. */
const change = async (url: string, ...texts: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url, application_name: 'console-test' });
  await client.connect();
  try {
    for (const text of ['set default_transaction_read_only = off', ...texts]) await client.query(text);
  } finally {
    await client.end();
  }
};

const reload = 'select pg_reload_conf()';

describe('servers that take no writes', () => {
  let dir: string;
  let servers: Replication;
  let redis: RedisServer;
  let primary: Variables;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-writes-'));
    [servers, redis] = await Promise.all([
      startReplication(dir, 1, true),
      startRedis({ dir: join(dir, 'redis'), appendonly: false }),
    ]);
    const { url, ownerUrl } = servers.primary;
    await migrateDatabase(ownerUrl, url);
    primary = { DATABASE_URL: url, MIGRATE_DATABASE_URL: ownerUrl, REDIS_URL: redis.url };
  });
  after(async () => {
    await redis.stop();
    await servers.close();
    await rm(dir, { recursive: true, force: true });
  });

  const run = async (path: string, variables: Variables, args: readonly string[] = []) =>
    runProcess([...(await program(path)), ...args], {
      env: { PATH: process.env['PATH'], DATA_DIR: dir, ...primary, ...variables },
    });

  /** Returns what the doctor says of writes, and the other checks that failed. */
  const diagnose = async (
    server: 'postgres' | 'redis',
    variables: Variables = {},
  ): Promise<{ status: string; text: string; others: string[]; code: number }> => {
    const { code, output } = await run('shared/tools/doctor/main.ts', variables, ['--json']);
    const { findings } = JSON.parse(output) as { findings: Finding[] };
    const isAbout = ({ check }: Finding): boolean => check === `${server}.writes`;
    const { status, text } = findings.find(isAbout) ?? { status: 'none', text: '' };
    const others = findings.filter((finding) => finding.status === 'fail' && !isAbout(finding));
    return { code, status, text, others: others.map(({ check, text: why }) => `${check}: ${why}`) };
  };

  /** The same as the standby's owner, whose name and database are the primary's. */
  const standbyOwner = (): string => {
    const url = new URL(servers.primary.ownerUrl);
    url.host = new URL(servers.standbys[0]?.url ?? '').host;
    return url.href;
  };

  describe('npm run doctor', () => {
    it('says that DATABASE_URL names a standby, and what to name', async () => {
      const own = await diagnose('postgres');
      expect([own.status, own.others]).to.deep.equal(['ok', []]);
      await until('the standby has the schema', async () => {
        const found = await servers.standbys[0]?.sql("select 1 from pg_class where relname = 'schema_version'");
        return found?.length === 1;
      });
      const { code, status, text, others } = await diagnose('postgres', {
        DATABASE_URL: servers.standbys[0]?.url ?? '',
      });
      expect([code, status, others]).to.deep.equal([1, 'fail', []]);
      expect(text).to.match(/^PostgreSQL is in recovery, .*: name the primary in DATABASE_URL/);
    });

    it('says which setting makes PostgreSQL read-only, and what undoes it', async () => {
      const setting = 'default_transaction_read_only';
      const set = (place: string, how: string) => change(servers.primary.ownerUrl, `${place} ${how}`, reload);
      for (const [place, remedy] of [
        ['alter role console_app', `alter role console_app reset ${setting}`],
        ['alter database console', `alter database console reset ${setting}`],
        ['alter role console_app in database console', `alter role console_app in database console reset ${setting}`],
        ['alter system', 'set it to off in postgresql.conf, or by alter system, and reload'],
      ] as const) {
        await set(place, `set ${setting} = on`);
        const found = await until('sessions begin so', async () => {
          const seen = await diagnose('postgres');
          return seen.status === 'fail' && seen;
        });
        await set(place, `reset ${setting}`);
        expect(found.text).to.include(`PostgreSQL only reads, as ${setting} is on: ${remedy};`);
        expect([found.code, found.others]).to.deep.equal([1, []]);
      }
      await until('sessions write again', async () => (await diagnose('postgres')).status === 'ok');
    });

    it('says that PostgreSQL’s disk is full, by a file that is gone afterwards', async function () {
      if (!(await canMount(join(dir, 'disk')))) this.skip();
      const small = await startOnSmallDisk(join(dir, 'small'), 64);
      try {
        await migrateDatabase(small.ownerUrl, small.url);
        const fill = (rows: number): Promise<void> =>
          change(
            small.ownerUrl,
            `copy (select repeat('x', 1000) from generate_series(1, ${String(rows)})) to '${small.disk}/filler'`,
          );
        await change(small.ownerUrl, `create tablespace small location '${small.disk}'`);
        const at = (url: string): string => url.replace(/\/console$/, '/full');
        await change(small.ownerUrl, 'create database "full" template console tablespace small');
        const variables = { DATABASE_URL: at(small.url), MIGRATE_DATABASE_URL: at(small.ownerUrl) };
        expect(await diagnose('postgres', variables)).to.deep.include({ status: 'ok', others: [] });
        const refused = await fill(100_000).catch((error: unknown) => error);
        expect(refused).to.include({ code: '53100' });
        const { code, status, text, others } = await diagnose('postgres', variables);
        expect([code, status, others]).to.deep.equal([1, 'fail', []]);
        expect(text).to.match(/^PostgreSQL can’t write, as its disk is full: .*No space left on device/);
        await fill(1);
        expect((await diagnose('postgres', variables)).status).to.equal('ok');
        const left = new pg.Client({ connectionString: at(small.ownerUrl) });
        await left.connect();
        const { rows } = await left.query(
          'select count(*)::int as n from pg_ls_tmpdir((select dattablespace from pg_database where datname = current_database()))',
        );
        await left.end();
        expect(rows).to.deep.equal([{ n: 0 }]);
      } finally {
        await small.close();
      }
    });

    it('says why Redis refuses writes: it is full, a replica, or can’t save', async function () {
      // The Redis in JavaScript, for machines without another one, refuses none.
      if (!(await canCluster())) this.skip();
      const client = new Redis(redis.url);
      const diagnoseWith = async (on: () => Promise<unknown>, off: () => Promise<unknown>) => {
        await on();
        try {
          return await diagnose('redis');
        } finally {
          await off();
        }
      };
      try {
        expect((await diagnose('redis')).status).to.equal('ok');
        const full = await diagnoseWith(
          () => client.config('SET', 'maxmemory', '1'),
          () => client.config('SET', 'maxmemory', '0'),
        );
        expect(full.text).to.include('Redis is full').and.to.include('raise maxmemory');
        const replica = await diagnoseWith(
          () => client.replicaof('127.0.0.1', '1'),
          () => client.replicaof('NO', 'ONE'),
        );
        expect(replica.text).to.include('replica that only reads');
        const alone = await diagnoseWith(
          () => client.config('SET', 'min-replicas-to-write', '1'),
          () => client.config('SET', 'min-replicas-to-write', '0'),
        );
        expect(alone.text).to.include('min-replicas-to-write');
        for (const { code, status, others } of [full, replica, alone])
          expect([code, status, others]).to.deep.equal([1, 'fail', []]);
      } finally {
        client.disconnect();
      }
    });

    it('says that Redis can’t save, once its folder is gone', async function () {
      if (!(await canCluster())) this.skip();
      const folder = join(dir, 'gone');
      const server = await startRedis({ dir: folder, appendonly: false, settings: { save: '3600 1' } });
      const client = new Redis(server.url);
      try {
        await rm(folder, { recursive: true });
        await client.bgsave();
        await until('it could not save', async () =>
          (await client.info('persistence')).includes('rdb_last_bgsave_status:err'),
        );
        const { code, status, text } = await diagnose('redis', { REDIS_URL: server.url });
        expect([code, status]).to.deep.equal([1, 'fail']);
        expect(text).to.include('could not save its data');
      } finally {
        client.disconnect();
        await server.stop();
      }
    });
  });

  describe('npm run migrate', () => {
    const migrate = async (variables: Variables = {}): Promise<{ code: number; lines: Record<string, unknown>[] }> => {
      const { code, output } = await run('migrations/run.ts', variables);
      return { code, lines: output.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>) };
    };

    it('ends at a standby with a sentence that says what to do', async () => {
      const { code, lines } = await migrate({ MIGRATE_DATABASE_URL: standbyOwner() });
      expect(code).to.equal(1);
      expect(lines.map(({ msg, err }) => ({ msg, err }))).to.deep.equal([
        {
          msg: 'the migration failed: PostgreSQL is in recovery, a standby that only reads: name the primary in MIGRATE_DATABASE_URL, or promote this server',
          err: undefined,
        },
      ]);
    });

    it('ends with a sentence too where PostgreSQL is read-only or away, and its password is nowhere', async () => {
      const { ownerUrl } = servers.primary;
      await change(ownerUrl, 'alter role console_owner set default_transaction_read_only = on');
      const readOnly = await migrate();
      await change(ownerUrl, 'alter role console_owner reset default_transaction_read_only');
      const away = await migrate({ MIGRATE_DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none' });
      expect([readOnly.code, away.code]).to.deep.equal([1, 1]);
      expect(readOnly.lines.map(({ msg }) => msg).join()).to.match(
        /^the migration failed: PostgreSQL only reads, .*: alter role console_owner reset default_transaction_read_only;/,
      );
      expect(away.lines.map(({ msg }) => msg)).to.deep.equal([
        'the migration failed: PostgreSQL at 127.0.0.1:1 can’t be reached: the connection is refused, as nothing listens there (ECONNREFUSED). Is it running, and is MIGRATE_DATABASE_URL right?',
      ]);
    });

    it('says which migrations it applied, and that the database is up to date only when there was nothing to do', async () => {
      const at = (url: string): string => url.replace(/\/console$/, '/fresh');
      const { url, ownerUrl } = servers.primary;
      await change(ownerUrl, 'create database fresh');
      const fresh = { DATABASE_URL: at(url), MIGRATE_DATABASE_URL: at(ownerUrl) };
      const first = await migrate(fresh);
      const second = await migrate(fresh);
      expect([first.code, second.code]).to.deep.equal([0, 0]);
      const [applied, roles, ...others] = first.lines;
      const own = new pg.Client({ connectionString: at(ownerUrl) });
      await own.connect();
      const { rows } = await own.query<{ name: string }>('select name from knex_migrations order by id');
      await own.end();
      expect(applied?.['msg']).to.equal(
        `${String(rows.length)} migrations were applied, ${String(rows[0]?.name)} to ${String(rows.at(-1)?.name)}`,
      );
      expect(roles?.['msg']).to.equal('the built-in roles viewer, operator, admin were written');
      expect(others).to.deep.equal([]);
      expect(second.lines.map(({ msg }) => msg)).to.deep.equal(['the database is up to date: nothing was to be done']);
      const last = String(rows.at(-1)?.name);
      await change(at(ownerUrl), `delete from knex_migrations where name = '${last}'`);
      const third = await migrate(fresh);
      expect(third.lines.map(({ msg }) => msg)).to.deep.equal([`1 migration was applied, ${last}`]);
      const role = new URL(url).username;
      await change(at(ownerUrl), `revoke insert on items from "${role}"`);
      const fourth = await migrate(fresh);
      expect(fourth.lines.map(({ msg }) => msg)).to.deep.equal([
        `the role ${role} was granted the rights of the service`,
      ]);
    });
  });
});
