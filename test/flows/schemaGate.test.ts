/** Builds and schemas of different ages: processes wait for a schema that fits them, and migrations for tables in use. */
import { expect } from 'chai';
import pg from 'pg';
import { watchLockWaits, type LockWait } from '../../migrations/lockWait.ts';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { openDb } from '../../shared/platform/db/knex.ts';
import { neededSchemaVersion, readSchemaState } from '../../shared/platform/db/schemaVersion.ts';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { scrape } from '../support/metrics.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('builds and schemas of different ages', () => {
  let world: World;
  const programs: Program[] = [];
  beforeEach(async () => {
    world = await newWorld({ server: false, workers: false });
  });
  afterEach(async () => {
    await Promise.all(programs.splice(0).map((program) => program.end()));
    await world.close();
  });

  const setVersion = (version: number, servesFrom = 0): Promise<unknown> =>
    world.sql('update schema_version set version = $1, serves_from = $2', [version, servesFrom]);
  const fits = async (): Promise<boolean> => (await readSchemaState(world.deps.db)).fits;

  it('fit when the schema is the build’s or a newer one that serves it', async () => {
    expect(await fits()).to.equal(true);
    await setVersion(neededSchemaVersion + 5, neededSchemaVersion);
    expect(await fits()).to.equal(true);
    await setVersion(neededSchemaVersion + 5, neededSchemaVersion + 1);
    expect(await readSchemaState(world.deps.db)).to.deep.include({ fits: false, version: neededSchemaVersion + 5 });
    await setVersion(neededSchemaVersion - 1);
    expect(await readSchemaState(world.deps.db)).to.deep.include({ fits: false, version: neededSchemaVersion - 1 });
    await world.sql('drop table schema_version');
    expect(await readSchemaState(world.deps.db)).to.deep.include({ fits: false, version: null });
  });

  for (const path of ['workers/main.ts', 'api/main.ts'] as const)
    it(`${path} waits for a schema that fits, says so, and begins by itself`, async () => {
      await setVersion(neededSchemaVersion - 1);
      let started = false;
      let said = (): string => '';
      const probePort = await freePort();
      const env = { [path === 'api/main.ts' ? 'PROBE_PORT' : 'WORKER_PORT']: String(probePort) };
      const starting = startProgram(world, path, env, { listen: (heard) => (said = heard) }).then((program) => {
        programs.push(program);
        started = true;
      });
      await until('it says what it waits for', () => said().includes('run npm run migrate'), 20_000);
      expect(started).to.equal(false);
      const waiting = await scrape(probePort);
      expect([...waiting.families.keys()], 'Prometheus finds it, and that it serves nobody').to.deep.equal([
        'console_ready',
      ]);
      expect(waiting.value('console_ready')).to.equal(0);
      await setVersion(neededSchemaVersion);
      await starting;
      await until('it is ready', async () => (await scrape(probePort)).value('console_ready') === 1);
    });

  it('leave a newer schema alone when the older build migrates', async () => {
    await setVersion(neededSchemaVersion + 1, 3);
    await world.sql("update roles set grants = '[]' where name = 'viewer'");
    await migrateDatabase(world.config.migrateDatabaseUrl, world.config.databaseUrl);
    expect(await world.sql('select version, serves_from from schema_version')).to.deep.equal([
      { version: neededSchemaVersion + 1, serves_from: 3 },
    ]);
    expect(await world.sql("select grants from roles where name = 'viewer'")).to.deep.equal([{ grants: [] }]);
  });

  it('give the service’s role its session settings, and sessions of other roles get them when they connect', async () => {
    await migrateDatabase(world.config.migrateDatabaseUrl, world.config.databaseUrl);
    const plain = new pg.Client({ connectionString: world.config.databaseUrl });
    await plain.connect();
    const ask = 'select current_setting($1) as value';
    expect((await plain.query(ask, ['plan_cache_mode'])).rows).to.deep.equal([{ value: 'force_generic_plan' }]);
    expect((await plain.query(ask, ['statement_timeout'])).rows).to.deep.equal([{ value: '30s' }]);
    await plain.end();
    const owner = openDb({ url: world.config.migrateDatabaseUrl, poolSize: 2, applicationName: 'test' });
    const { rows } = await owner.raw("select current_setting('enable_seqscan') as value");
    expect(rows).to.deep.equal([{ value: 'off' }]);
    await owner.destroy();
  });

  it('migrate at the same time without waiting in PostgreSQL, where they would hold up a concurrent index', async () => {
    const { migrateDatabaseUrl: ownerUrl, databaseUrl } = world.config;
    const holder = new pg.Client({ connectionString: ownerUrl });
    await holder.connect();
    await holder.query('select pg_advisory_lock(4920731)');
    const waiting = migrateDatabase(ownerUrl, databaseUrl);
    await until('another one asks for the lock', async () => {
      const found = await world.sql(
        "select 1 from pg_stat_activity where datname = current_database() and application_name = 'console-migrate-lock'",
      );
      return found.length > 0;
    });
    await world.sql('create index concurrently items_test on items (env, updated_at)');
    await holder.end();
    await waiting;
  });

  it('tell of sessions of others that hold a lock, not of the migration’s own', async () => {
    const { migrateDatabaseUrl: ownerUrl } = world.config;
    const session = async (application_name?: string): Promise<pg.Client> => {
      const client = new pg.Client({
        connectionString: ownerUrl,
        ...(application_name === undefined ? {} : { application_name }),
      });
      await client.connect();
      return client;
    };
    const [own, waiting, watching, other] = [
      await session('migration-lock'),
      await session('migration'),
      await session('migration-lock'),
      await session(),
    ];
    const told: LockWait[] = [];
    // Ours is the older one, which would be told first.
    for (const holder of [own, other]) {
      await holder.query('begin');
      await holder.query('lock table items in access share mode');
    }
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    const locked = waiting.query('begin; lock table items in access exclusive mode; rollback');
    await watchLockWaits(
      watching,
      'migration',
      (wait) => told.push(wait),
      async () => {
        await until('it is told', () => told.length > 0, 20_000);
        for (const holder of [own, other]) await holder.query('rollback');
        await locked;
      },
    );
    expect(told.map(({ pid }) => pid)).to.deep.equal([rows[0]?.pid]);
    for (const client of [own, waiting, watching, other]) await client.end();
  });

  it('try a migration again whose table is in use, so that nobody waits behind it, and say once who has it', async () => {
    const { migrateDatabaseUrl: ownerUrl, databaseUrl } = world.config;
    await world.sql("delete from knex_migrations where name = '0012_runColumns'");
    await world.sql('alter table runs add column confirmed boolean, add column due_at bigint');
    const reader = new pg.Client({ connectionString: ownerUrl });
    await reader.connect();
    await reader.query('begin');
    await reader.query('select count(*) from runs');
    let done = false;
    const told: LockWait[] = [];
    const migrating = migrateDatabase(ownerUrl, databaseUrl, (wait) => told.push(wait)).then(() => (done = true));
    const waits = async (): Promise<boolean> =>
      (
        await world.sql(
          "select 1 from pg_stat_activity where application_name = 'console-migrate' and wait_event_type = 'Lock' and datname = current_database()",
        )
      ).length > 0;
    await until('it waits for the table', waits);
    await until('it gives way', async () => !(await waits()));
    expect(done).to.equal(false);
    const { rows } = await reader.query<{ pid: number }>('select pg_backend_pid() as pid');
    await until('it waits once more', waits);
    await until('it gives way once more', async () => !(await waits()));
    expect(told.map(({ table, pid }) => ({ table, pid }))).to.deep.equal([{ table: 'runs', pid: rows[0]?.pid }]);
    expect(told[0]?.query).to.equal('select count(*) from runs');
    await reader.query('commit');
    await reader.end();
    await migrating;
    expect(
      await world.sql(
        "select 1 from information_schema.columns where table_name = 'runs' and column_name = 'confirmed'",
      ),
    ).to.deep.equal([]);
  });
});
