/** The service behind PgBouncer in session mode: API, workers and migrations connect through the pool alone. */
import { expect } from 'chai';
import { migrateDatabase } from '../../migrations/migrate.ts';
import type { Client } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { startPgBouncer, type PgBouncer } from '../support/pgbouncer.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('behind PgBouncer', () => {
  let pool: PgBouncer;
  let world: World;
  let agent: Client;

  before(async () => {
    const { DATABASE_URL: appUrl = '', MIGRATE_DATABASE_URL: ownerUrl = '' } = process.env;
    pool = await startPgBouncer([appUrl, ownerUrl]);
    world = await newWorld({ through: pool.address });
    agent = await world.agent('admin');
  });
  after(async () => {
    await world.close();
    await pool.stop();
  });

  const create = async (title: string): Promise<string> => {
    const { status, body, text } = await agent.post('/items', { inbox: 'mail', title });
    expect(status, text).to.equal(201);
    return body.item.id as string;
  };

  it('connects through it', async () => {
    const found = await world.sql(
      "select distinct application_name from pg_stat_activity where datname = current_database() and application_name like 'console-%'",
    );
    expect(found.map((row) => row['application_name'])).to.include.members(['console-api', 'console-workers']);
    expect(new URL(world.config.databaseUrl).port).not.to.equal(new URL(world.config.migrateDatabaseUrl).port);
  });

  it('creates, changes in bulk, undoes, and tells subscribers', async () => {
    const live = await openLive(agent);
    const ids = await Promise.all(Array.from({ length: 60 }, (_, i) => create(`Through the pool ${String(i)}`)));
    const bulk = await agent.post('/bulk', { ids, operation: { type: 'state', state: 'waiting' } });
    expect(bulk.status, bulk.text).to.equal(202);
    const { id } = bulk.body.bulk;
    const done = await until('the bulk is done', async () => {
      const { body } = await agent.get(`/bulk/${String(id)}`);
      return body.bulk.status === 'done' && body.bulk;
    });
    expect(done).to.include({ total: 60, changed: 60, failed: 0 });
    for (const item of ids)
      await live.next(
        'the change',
        (message) => message.type === 'item' && message.item.id === item && message.item.state === 'waiting',
      );
    await live.close();
    const undone = await agent.post(`/bulk/${String(id)}/undo`);
    expect(undone.status, undone.text).to.equal(202);
    await world.settled();
    const { body } = await agent.get('/items?inbox=mail&state=open&limit=100');
    expect(body.items).to.have.lengthOf(60);
  });

  it('migrates through it', async () => {
    const { databaseUrl, migrateDatabaseUrl } = world.config;
    await migrateDatabase(pool.address(migrateDatabaseUrl), databaseUrl);
  });

  it('is polite while it is away, and well again once it is back', async () => {
    const away = pool.restart();
    const answers = await Promise.all(Array.from({ length: 20 }, () => agent.get('/items?inbox=mail&limit=1')));
    for (const { status } of answers) expect(status).to.be.oneOf([200, 503]);
    await away;
    await until('it reads again', async () => (await agent.get('/items?inbox=mail&limit=1')).status === 200);
    await create('After the restart');
    await world.settled();
  });
});
