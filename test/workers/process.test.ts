/** The worker and migration programs as an operator starts them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { until } from '../support/until.ts';
import { newJobsWorld, type JobsWorld } from './jobsWorld.ts';

describe('the programs', () => {
  let world: JobsWorld;
  beforeEach(async () => {
    world = await newJobsWorld();
  });
  afterEach(() => world.close());

  const run = async (path: string, env: NodeJS.ProcessEnv = { ...process.env, ...world.env, LOG_LEVEL: 'info' }) => {
    const [node = '', ...args] = await program(path);
    const child = spawn(node, args, { env });
    const said = { out: '', err: '' };
    child.stdout.on('data', (text: Buffer) => {
      said.out += text.toString();
    });
    child.stderr.on('data', (text: Buffer) => {
      said.err += text.toString();
    });
    return { child, said, exit: once(child, 'exit') };
  };

  it('workers: start, work, and stop in order when they are told twice', async () => {
    const { child, said, exit } = await run('workers/main.ts');
    await until('it is ready', () => said.err.includes('the workers are ready'), 20_000);
    await world.sql("insert into outbox (id, env, at, parts) values (1, 1, 1, '[{}]')");
    await until('it has published', async () => (await world.sql('select 1 from stream')).length === 1);
    child.kill('SIGTERM');
    child.kill('SIGINT');
    expect(await exit).to.deep.equal([0, null]);
    expect(said.out).to.equal('');
    expect(said.err).to.include('the workers have stopped');
    expect(await world.sql('select name from leases where until > 0')).to.deep.equal([]);
  });

  it('workers: name the variable that is missing', async () => {
    const { said, exit } = await run('workers/main.ts', { PATH: process.env['PATH'] });
    expect((await exit)[0]).to.equal(1);
    expect(said.err).to.include('DATABASE_URL is missing');
  });

  it('migrations: may run at once, twice, and after a crash, and change nothing the second time', async () => {
    const look = async () => [
      await world.sql('select * from roles order by name'),
      await world.sql('select n from revisions'),
      await world.sql('select name from knex_migrations order by id'),
    ];
    const before = await look();
    expect(before[0]?.map(({ name }) => name)).to.deep.equal(['admin', 'operator', 'viewer']);
    expect(before[2]?.[0]).to.deep.equal({ name: '0001_environments' });
    await world.sql('update knex_migrations_lock set is_locked = 1');
    const { MIGRATE_DATABASE_URL: ownerUrl = '', DATABASE_URL: appUrl = '' } = world.env;
    await Promise.all([1, 2, 3].map(() => migrateDatabase(ownerUrl, appUrl)));
    expect(await look()).to.deep.equal(before);
  });

  it('migrations: bring a changed role back to what this version grants, and tell every process', async () => {
    const { MIGRATE_DATABASE_URL: ownerUrl = '', DATABASE_URL: appUrl = '' } = world.env;
    const revision = async (): Promise<number> => Number((await world.sql('select n from revisions'))[0]?.['n']);
    const before = await revision();
    await world.sql("update roles set grants = '[]' where name = 'viewer'");
    await migrateDatabase(ownerUrl, appUrl);
    const [role] = await world.sql<{ grants: unknown[] }>("select grants from roles where name = 'viewer'");
    expect(role?.grants).to.have.length.greaterThan(0);
    expect(await revision()).to.equal(before + 1);
  });

  it('the role of API and workers can’t change what has happened', async () => {
    const client = new pg.Client({ connectionString: world.env['DATABASE_URL'] });
    await client.connect();
    const may = async (sql: string): Promise<boolean> =>
      client.query(sql).then(
        () => true,
        (error: { code?: string }) => error.code !== '42501',
      );
    expect(await may("insert into events (env, at, actor_type, actor_name) values (1, 0, 'system', 'x')")).to.equal(
      true,
    );
    expect(await may('update events set at = 1')).to.equal(false);
    expect(await may('delete from events')).to.equal(false);
    expect(await may('truncate events')).to.equal(false);
    expect(await may('drop table items')).to.equal(false);
    expect(await may('delete from knex_migrations')).to.equal(false);
    await client.end();
  });
});
