/** A call that loses PostgreSQL while its run is inserted: it names the run, which may exist. */
import { expect } from 'chai';
import pg from 'pg';
import { newDatabase } from '../support/database.ts';
import { Gate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { newWorld } from '../support/world.ts';

const manifest = { actions: [{ name: 'ping', label: 'Ping' }] } as const;

describe('a run whose insert is not confirmed', () => {
  it('is named by the call that fails, and found by its id', async () => {
    const database = await newDatabase();
    const gate = new Gate(new URL(database.url));
    const through = await gate.listen();
    const world = await newWorld({ manifest, database, workers: false, through: () => through });
    const locker = new pg.Client({ connectionString: database.ownerUrl });
    try {
      const agent = await world.agent('admin');
      await locker.connect();
      await locker.query('begin; lock table runs in share mode');
      const answer = agent.post('/actions', { action: 'ping' });
      await until('the insert waits', async () => {
        const waiting = await world.sql(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ 'insert into runs'",
        );
        return waiting.length > 0;
      });
      gate.shut();
      await locker.query('commit');
      const { status, body, headers } = await answer;
      expect([status, body.code], JSON.stringify(body)).to.deep.equal([503, 'unavailable']);
      expect(headers.get('retry-after')).to.be.a('string');
      expect(body.run).to.match(/^run_/);
      expect(body.error).to.include(`GET /runs/${String(body.run)}`);
      gate.open = true;
      await until('it is back', async () => (await agent.get(`/runs/${String(body.run)}`)).status === 200, 30_000);
    } finally {
      await locker.end();
      gate.open = true;
      await world.close();
      gate.close();
    }
  });
});
