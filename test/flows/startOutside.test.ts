/** `npm start` with servers of others: it uses them, and loads the demo nowhere but into a database that is empty or the demo's. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { ownPrefix } from '../../shared/tools/services/outsideServers.mjs';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import { newDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('npm start with the servers of others', function () {
  this.timeout(400_000);
  let folder: string;
  let redis: RedisServer;
  let database: Awaited<ReturnType<typeof newDatabase>>;
  let owner: pg.Client;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'console-outside-'));
    redis = await startRedis({ dir: join(folder, 'redis') });
    database = await newDatabase();
    owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
  });
  after(async () => {
    await owner.end();
    await database.drop();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = (
    port: number,
    more: Readonly<Record<string, string>> = {},
  ): { child: ChildProcess; said: () => string; code: Promise<number | null> } => {
    const child = spawn(process.execPath, ['shared/tools/services/launch.mjs', 'start'], {
      cwd: root,
      env: {
        ...process.env,
        DATABASE_URL: database.url,
        MIGRATE_DATABASE_URL: database.ownerUrl,
        REDIS_URL: redis.url,
        PUBLIC_URL: 'http://127.0.0.1:1',
        DATA_DIR: join(folder, 'data'),
        PORT: String(port),
        WORKERS: '1',
        ...more,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => void (said += piece));
    return { child, said: () => said, code: once(child, 'close').then(([code]) => code as number | null) };
  };

  const countAll = async (): Promise<unknown> =>
    (
      await owner.query(
        `select (select count(*) from environments)::int as environments, (select count(*) from people)::int as people,
          (select count(*) from agents)::int as agents, (select count(*) from events)::int as events`,
      )
    ).rows[0];

  it('refuses a database that has an environment of its own, also one called demo, and changes nothing there', async () => {
    await owner.query(
      "insert into environments (name, seal_key, created_at) values ('demo', decode(repeat('00', 32), 'hex'), 1)",
    );
    const before = await countAll();
    const { said, code } = start(await freePort());
    expect(await code, said()).to.equal(1);
    expect(said())
      .to.include('DATABASE_URL names a database that is in use')
      .and.to.include('“demo”')
      .and.to.include('unset DATABASE_URL');
    for (const url of [database.url, database.ownerUrl]) expect(said()).not.to.include(new URL(url).password);
    expect(said()).not.to.match(/starting|migrating/);
    expect(await countAll()).to.deep.equal(before);
    await owner.query('delete from environments');
  });

  it('names the variable and the cause when the database can’t be reached', async () => {
    const wrong = `postgres://nobody:secret-word@127.0.0.1:${String(await freePort())}/console`;
    const { said, code } = start(await freePort(), { MIGRATE_DATABASE_URL: wrong });
    expect(await code, said()).to.equal(1);
    expect(said()).to.match(/with MIGRATE_DATABASE_URL: the connection is refused.*ECONNREFUSED/);
    expect(said()).not.to.include('secret-word');
  });

  it('keeps the keys of a database of its own apart in the Redis of others', () => {
    const [here, there] = ['/srv/here', '/srv/there'].map(
      (dir) => ownPrefix(dir, { REDIS_URL: redis.url }).REDIS_PREFIX,
    );
    expect(here)
      .to.match(/^console-[0-9a-f]{12}$/)
      .and.not.equal(there);
    for (const named of ['DATABASE_URL', 'REDIS_PREFIX'])
      expect(ownPrefix('/srv/here', { REDIS_URL: redis.url, [named]: 'named' })).to.deep.equal({});
    expect(ownPrefix('/srv/here', {})).to.deep.equal({});
  });

  it('loads the demo into an empty database and starts on it again, whatever PUBLIC_URL leads to', async () => {
    for (const loaded of ['demo: 5,000 items', 'demo: is loaded']) {
      const port = await freePort();
      const { child, said, code } = start(port);
      await until('the start is over', () => said().includes('Ctrl-C stops') || child.exitCode !== null, 150_000);
      child.kill('SIGTERM');
      expect(await code, said()).to.equal(0);
      expect(said()).to.include(loaded).and.to.include('Ready after');
      expect(said()).to.include(`using the PostgreSQL of DATABASE_URL: ${new URL(database.url).host}`);
      expect(said()).to.include(`using the Redis of REDIS_URL: ${new URL(redis.url).host}`);
      expect(said()).not.to.include('starting PostgreSQL').and.not.to.include('starting Redis');
      expect(said()).to.include(`http://127.0.0.1:${String(port)}/api/env/demo/items?limit=3`);
      const access = JSON.parse(readFileSync(join(folder, 'data', 'access.json'), 'utf8')) as { baseUrl: string };
      expect(access.baseUrl).to.equal('http://127.0.0.1:1/api/env/demo');
      const { rows } = await owner.query("select from approvals where status = 'pending' limit 1");
      expect(rows, 'the demo is open').to.have.length(1);
    }
  });
});
