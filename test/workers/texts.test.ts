/** Texts of notes, replies and occurrences are indexed after their change, whatever else is under way. */
import { expect } from 'chai';
import pg from 'pg';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('texts that are indexed after their change', () => {
  let world: World;
  let admin: Client;
  before(async () => {
    world = await newWorld();
    admin = await world.agent('admin');
  });
  after(() => world.close());

  const progress = async (): Promise<number> =>
    Number((await world.sql<{ event: string }>('select event from item_words_progress'))[0]?.event);

  it('are found while another transaction may still commit an earlier event', async () => {
    const made = await admin.post('/items', { inbox: 'mail', title: 'Patient' });
    const id = String(made.body.item.id);
    await world.indexed();
    const before = await progress();
    const other = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('insert into events select * from events where false');
      expect((await admin.post(`/items/${id}/notes`, { text: 'A wombat' })).status).to.equal(201);
      await until('the note is found', async () => (await admin.get('/items?q=wombat')).body.items.length === 1);
      expect(await progress(), 'what may be missing is looked for again').to.equal(before);
      await other.query('rollback');
    } finally {
      await other.end();
    }
    await world.indexed();
    expect(await progress()).to.be.greaterThan(before);
  });
});
