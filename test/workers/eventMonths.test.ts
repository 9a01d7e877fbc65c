/** The months of events: ids begin at one only when its part is there for everybody. */
import { expect } from 'chai';
import pg from 'pg';
import { months } from '../../workers/sweeps/index.ts';
import { beginMonthsAgo } from '../support/months.ts';
import { newWorld, type World } from '../support/world.ts';

describe('the months of events', () => {
  let world: World;

  before(async () => {
    world = await newWorld({ workers: false });
  });
  after(() => world.close());

  it('let changes go on while the parts are made after a long stop, and begin at once when they are', async () => {
    const admin = await world.agent('admin');
    await beginMonthsAgo(world, 4);
    const post = async (): Promise<string> => {
      const made = await admin.post('/items', { inbox: 'mail', title: 'One' });
      expect(made.status, made.text).to.equal(201);
      const [row] = await world.sql<{ part: string }>(
        'select tableoid::regclass::text as part from events where item = $1 limit 1',
        [made.body.item.id],
      );
      return row?.part ?? '';
    };
    const former = await post();
    const sweep = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await sweep.connect();
    try {
      await sweep.query('begin');
      await sweep.query('select prepare_event_months()');
      expect(await post()).to.equal(former);
      await sweep.query('rollback');
    } finally {
      await sweep.end();
    }
    await months.run(world.deps);
    expect(await post()).to.equal(`events_${new Date().toISOString().slice(0, 7).replace('-', '_')}`);
  });
});
