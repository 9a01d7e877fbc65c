/** Bulks that have ended move to the table of their months, are read there like any other, and go once nobody keeps them. */
import { expect } from 'chai';
import { readBulk } from '../../shared/bulk/queries.ts';
import { newIdOf } from '../../shared/platform/ids.ts';
import { runAdmin } from '../../shared/tools/cli/run.ts';
import { expireEndedRows, moveEndedRows } from '../../workers/sweeps/expiredRows.ts';
import { expireBulkResults } from '../../workers/sweeps/index.ts';
import { ageBulk, beginBulkMonthsAgo } from '../support/bulkMonths.ts';
import { monthOf, monthsOf, moveNow, scansOf } from '../support/endedRows.ts';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const dayMs = 86_400_000;

describe('bulks that have ended', () => {
  let world: World;
  let demo: Client;
  let second: Client;

  const daysAgo = (days: number): number => Date.now() - days * dayMs;
  const admin = async (...words: string[]): Promise<{ exitCode: number; text: string }> =>
    runAdmin(words, { readConfig: () => world.config, readInput: () => Promise.resolve('') });
  /** A bulk that ended so many days ago; nothing was found by its ids. */
  const endedBulk = async (client: Client, days: number): Promise<string> => {
    const ids = [newIdOf('itm', daysAgo(days)), newIdOf('itm', daysAgo(days))];
    const accepted = await client.post('/bulk', { ids, operation: { type: 'tags', add: ['seen'] } });
    expect(accepted.status, accepted.text).to.equal(202);
    const id = accepted.body.bulk.id as string;
    await world.sql("update bulk_chunks set status = 'done', failed = 2 where bulk = $1", [id]);
    await world.sql("update bulks set status = 'done' where id = $1", [id]);
    await world.sql('delete from staged_jobs where subject = $1', [id]);
    return ageBulk(world, id, daysAgo(days));
  };
  const placeOf = async (id: string): Promise<string> =>
    (
      await world.sql<{ place: string }>(
        'select tableoid::regclass::text as place from bulks where id = $1 union all select tableoid::regclass::text from bulks_ended where id = $1',
        [id],
      )
    )
      .map(({ place }) => place)
      .join();
  const pages = async (client: Client, limit: number, status = ''): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor = ''; ;) {
      const { body, status: code, text } = await client.get(`/bulk?limit=${String(limit)}${status}${cursor}`);
      expect(code, text).to.equal(200);
      ids.push(...(body.bulks as { id: string }[]).map(({ id }) => id));
      if (body.cursor === null) return ids;
      cursor = `&cursor=${String(body.cursor)}`;
    }
  };

  beforeEach(async () => {
    world = await newWorld({ workers: false });
    await world.environment('second');
    demo = await world.agent('admin', { environments: ['*'] });
    second = world.elsewhere(demo, 'second');
    await beginBulkMonthsAgo(world, 6);
  });
  afterEach(() => world.close());

  it('move to the month of their ids, and are read, listed and refused as before', async () => {
    const [old, older] = [await endedBulk(demo, 40), await endedBulk(demo, 100)];
    const other = await endedBulk(second, 41);
    const recent = await endedBulk(demo, 2);
    const read = async (): Promise<unknown[]> => [
      (await demo.get(`/bulk/${old}`)).body,
      (await demo.get(`/bulk/${older}`)).body,
      (await demo.get(`/bulk/${old}/results`)).body,
      (await second.get(`/bulk/${old}`)).body.code,
      (await demo.post(`/bulk/${old}/undo`, {})).body.error,
      (await demo.post(`/bulk/${old}/cancel`, {})).body.error,
      await pages(demo, 1),
      await pages(demo, 2, '&status=done'),
      await pages(second, 50),
      await pages(await world.agent('operator'), 50),
    ];
    const before = await read();
    expect(before[6]).to.deep.equal([recent, old, older]);
    await moveEndedRows.run(world.deps);
    expect(await placeOf(old), 'nothing moves in the first day').to.equal('bulks');
    await moveNow(world);
    expect(await Promise.all([old, older, other, recent].map(placeOf))).to.deep.equal([
      monthOf('bulks_ended', daysAgo(40)),
      monthOf('bulks_ended', daysAgo(100)),
      monthOf('bulks_ended', daysAgo(41)),
      'bulks',
    ]);
    expect(await read()).to.deep.equal(before);
  });

  it('stay beside the unfinished while they are being undone', async () => {
    const undone = await endedBulk(demo, 20);
    const undo = newIdOf('blk', Date.now());
    await world.sql(
      `insert into bulks (id, env, status, operation, total, actor_type, actor, actor_name, created_at, undo_of)
       select $1, env, 'pending', '{}', 1, actor_type, actor, actor_name, 0, id from bulks where id = $2`,
      [undo, undone],
    );
    await moveNow(world);
    expect(await placeOf(undone)).to.equal('bulks');
    await world.sql("update bulks set status = 'cancelled', finished_at = $2 where id = $1", [undo, Date.now()]);
    await moveNow(world);
    expect(await placeOf(undone)).to.equal(monthOf('bulks_ended', daysAgo(20)));
  });

  it('keep their counts when their results go, wherever they are then', async () => {
    const [moved, stayed] = [await endedBulk(demo, 150), await endedBulk(demo, 140)];
    await world.sql('update ended_moves set begin_at = 0');
    await world.sql('update bulks set finished_at = $2 where id = $1', [stayed, daysAgo(100)]);
    const hold = newIdOf('blk', Date.now());
    await world.sql(
      `insert into bulks (id, env, status, operation, total, actor_type, actor, actor_name, created_at, undo_of)
       select $1, env, 'pending', '{}', 1, actor_type, actor, actor_name, 0, id from bulks where id = $2`,
      [hold, stayed],
    );
    await moveEndedRows.run(world.deps);
    await world.sql('delete from bulks where id = $1', [hold]);
    expect([await placeOf(moved), await placeOf(stayed)]).to.deep.equal([
      monthOf('bulks_ended', daysAgo(150)),
      'bulks',
    ]);
    const before = [(await demo.get(`/bulk/${moved}`)).body, (await demo.get(`/bulk/${stayed}`)).body];
    expect(before[0].bulk).to.include({ failed: 2, done: 2 });
    await expireBulkResults.run(world.deps);
    expect([(await demo.get(`/bulk/${moved}`)).body, (await demo.get(`/bulk/${stayed}`)).body]).to.deep.equal(before);
    for (const id of [moved, stayed]) expect((await demo.get(`/bulk/${id}/results`)).text).to.match(/were kept until/);
  });

  it('go by the month once no environment keeps them, after their results, and answers say so', async () => {
    const [mine, theirs] = [await endedBulk(demo, 150), await endedBulk(second, 151)];
    const young = await endedBulk(demo, 60);
    await moveNow(world);
    await admin('retention', 'set', 'demo', '--bulks', '95');
    await expireEndedRows.run(world.deps);
    expect(await placeOf(mine), 'it has results').to.equal(monthOf('bulks_ended', daysAgo(150)));
    await expireBulkResults.run(world.deps);
    await expireEndedRows.run(world.deps);
    expect([await placeOf(mine), await placeOf(theirs)]).to.deep.equal(['', monthOf('bulks_ended', daysAgo(151))]);
    await admin('retention', 'set', 'second', '--bulks', '95');
    await expireEndedRows.run(world.deps);
    expect(await placeOf(theirs)).to.equal('');
    expect(await monthsOf(world, 'bulks_ended')).to.deep.equal([monthOf('bulks_ended', daysAgo(60))]);
    expect(await placeOf(young)).to.equal(monthOf('bulks_ended', daysAgo(60)));
    const gone = await demo.get(`/bulk/${mine}`);
    expect([gone.status, gone.body.code]).to.deep.equal([404, 'not_found']);
    expect(gone.body.error).to.match(/bulks are kept for 95 days after they end; .* was kept until \d{4}-\d\d-\d\dT/);
    const never = newIdOf('blk', daysAgo(60));
    expect((await demo.get(`/bulk/${never}`)).body.error).to.not.match(/kept/);
    expect((await admin('retention', 'list')).text).to.match(/demo\s+as BULK_RESULTS_DAYS says\s+95 days/);
    expect((await admin('retention', 'set', 'demo')).text).to.match(/Name what is kept for how long/);
  });

  it('are looked for in one month by a plan that was made for any id', async () => {
    // Two of 30 days apart may be of one month, 31 days are never.
    for (let days = 31; days <= 186; days += 31) await endedBulk(demo, days);
    await moveNow(world);
    expect(await monthsOf(world, 'bulks_ended')).to.have.length.above(5);
    const id = newIdOf('blk', daysAgo(90));
    const scans = await scansOf(world, (tx) => readBulk(tx, 1, id), `"bulk.oneEnded" (1, '${id}')`);
    expect(scans.filter((line) => line.includes('bulks_ended')).join()).to.match(/^[^,]*bulks_ended_\d{4}_\d\d[^,]*$/);
  });
});
