/** A synchronous standby that is frozen: every commit waits for it, which metrics and an alert say while PostgreSQL answers. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { expectFiring } from '../support/alerts.ts';
import { clientOf } from '../support/http.ts';
import { startMeasured, type MeasuredProgram } from '../support/metrics.ts';
import { startReplication, type Replication } from '../support/standby.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('a synchronous standby that is gone', () => {
  let dir: string;
  let replication: Replication;
  let world: World;
  let api: MeasuredProgram;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-synchronous-'));
    replication = await startReplication(dir, 1, true);
    const { primary } = replication;
    await migrateDatabase(primary.ownerUrl, primary.url);
    world = await newWorld({
      database: { url: primary.url, ownerUrl: primary.ownerUrl, drop: () => Promise.resolve() },
      server: false,
      workers: false,
    });
    api = await startMeasured(world, 'api/main.ts');
  });
  after(async () => {
    replication.standbys[0]?.thaw();
    await api.end();
    await world.close();
    await replication.close();
    await rm(dir, { recursive: true, force: true });
  });

  it('holds up commits, which is seen while PostgreSQL answers, and nothing is lost', async () => {
    const owner = new pg.Client({ connectionString: replication.primary.ownerUrl });
    await owner.connect();
    await owner.query("alter system set synchronous_standby_names = '*'");
    await owner.query('select pg_reload_conf()');
    await owner.end();
    const { token, id } = await world.agent('admin');
    const agent = clientOf(`http://127.0.0.1:${api.port}/api/env/demo`, token, id);
    const { body } = await agent.post('/items', { inbox: 'mail', title: 'One' });
    const item = String(body.item.id);
    expect((await api.scrape()).value('console_commit_wait_seconds')).to.be.below(1);

    replication.standbys[0]?.freeze();
    const noting = agent.post(`/items/${item}/notes`, { text: 'While it is frozen' });
    const waited = await until(
      'its commit is seen to wait',
      async () => {
        const metrics = await api.scrape();
        return (metrics.value('console_commit_wait_seconds') ?? 0) > 1 && metrics;
      },
      30_000,
    );
    expect([waited.value('console_postgres_up'), waited.value('console_ready')]).to.deep.equal([1, 1]);
    const alert = 'ConsoleCommitsWait';
    await expectFiring({ console_commit_wait_seconds: '0+0x20 11+60x10' }, [alert], [alert]);

    replication.standbys[0]?.thaw();
    const noted = await noting;
    expect(noted.status, noted.text).to.equal(201);
    const { entries } = (await agent.get(`/items/${item}/timeline`)).body as { entries: { data: { text?: string } }[] };
    expect(entries[0]?.data.text).to.equal('While it is frozen');
  });
});
