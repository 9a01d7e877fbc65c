/** Connections of a pool are replaced after their life, and only between two uses. */
import { expect } from 'chai';
import { openDb, type Db } from '../../../shared/platform/db/knex.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const lifetimeMs = 400;
const pidSql = 'select pg_backend_pid() as pid';

describe('connections of a pool', () => {
  let world: World;
  let db: Db;
  const pidOf = async (from: Pick<Db, 'raw'>): Promise<number> =>
    (await from.raw<{ rows: { pid: number }[] }>(pidSql)).rows[0]?.pid ?? 0;
  const open = (options: { lifetimeMs?: number } = {}): void => {
    db = openDb({ url: world.config.databaseUrl, poolSize: 1, applicationName: 'console-test', ...options });
  };

  before(async () => {
    world = await newWorld({ server: false });
  });
  afterEach(() => db.destroy());
  after(() => world.close());

  it('are used again, and replaced when their life is over, with the settings of all', async () => {
    open({ lifetimeMs });
    const first = await pidOf(db);
    const since = performance.now();
    await until('another one is used', async () => (await pidOf(db)) !== first);
    expect(performance.now() - since).to.be.above(lifetimeMs / 2);
    const { rows } = await db.raw<{ rows: { timeout: string }[] }>(
      `select current_setting('statement_timeout') timeout`,
    );
    expect(rows[0]?.timeout).not.to.equal('0');
    await until('the first has ended', async () => {
      const left = await world.sql('select from pg_stat_activity where pid = $1', [first]);
      return left.length === 0;
    });
  });

  it('are never replaced within a transaction', async () => {
    open({ lifetimeMs });
    await db.transaction(async (tx) => {
      const pid = await pidOf(tx);
      await tx.raw('select pg_sleep(?)', [(lifetimeMs * 2) / 1000]);
      expect(await pidOf(tx)).to.equal(pid);
    });
  });

  it('stay the same while they live', async () => {
    open();
    const first = await pidOf(db);
    for (let n = 0; n < 50; n++) expect(await pidOf(db)).to.equal(first);
  });
});
