/** Runs that have ended move to the table of their months, are read and retried there like any other, and go once nobody keeps them. */
import { expect } from 'chai';
import { newIdOf } from '../../shared/platform/ids.ts';
import { settleRunAnswers } from '../../shared/runs/call/runAnswers.ts';
import { readRun } from '../../shared/runs/model.ts';
import { runAdmin } from '../../shared/tools/cli/run.ts';
import { expireEndedRows } from '../../workers/sweeps/expiredRows.ts';
import { rpcError } from '../support/app.ts';
import { monthOf, moveNow, scansOf } from '../support/endedRows.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const dayMs = 86_400_000;

const manifest = {
  resources: [{ name: 'order', source: 'stored' }],
  inboxes: [{ name: 'mail' }],
  actions: [
    { name: 'ping', label: 'Ping', input: { type: 'object' } },
    { name: 'touch', label: 'Touch', resource: 'order' },
    { name: 'strict', label: 'Strict', approval: true },
  ],
} as const;

describe('runs that have ended', () => {
  let world: World;
  let agent: Client;
  let person: Client;
  let fails = false;
  const calls: string[] = [];

  const daysAgo = (days: number): number => Date.now() - days * dayMs;
  const admin = async (...words: string[]): Promise<unknown> =>
    runAdmin(words, { readConfig: () => world.config, readInput: () => Promise.resolve('') });
  /** Gives a run the id and the times of a moment in the past. */
  const age = async (id: string, days: number): Promise<string> => {
    const old = newIdOf('run', daysAgo(days));
    await world.sql(
      `with items as (update run_items set run = $2 where run = $1), reasons as (update run_reasons set run = $2 where run = $1)
       update runs set id = $2, requested_at = $3, finished_at = case when finished_at is null then null else $3::bigint end where id = $1`,
      [id, old, daysAgo(days)],
    );
    return old;
  };
  const ended = async (days: number, fail = false): Promise<string> => {
    fails = fail;
    const { status, body, text } = await agent.post('/actions', { action: 'ping', input: { days }, reason: 'why' });
    expect(status, text).to.equal(fail ? 422 : 200);
    return age(body.run as string, days);
  };
  const placeOf = async (id: string): Promise<string> =>
    (
      await world.sql<{ place: string }>(
        'select tableoid::regclass::text as place from runs where id = $1 union all select tableoid::regclass::text from runs_ended where id = $1',
        [id],
      )
    )
      .map(({ place }) => place)
      .join();
  const list = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor = ''; ;) {
      const { body, text, status } = await agent.get(`/runs?${query}${cursor}`);
      expect(status, text).to.equal(200);
      ids.push(...(body.runs as { id: string }[]).map(({ id }) => id));
      if (body.cursor === null) return ids;
      cursor = `&cursor=${String(body.cursor)}`;
    }
  };
  const settled = (run: string, status: string): Promise<unknown> =>
    until(`${run} is ${status}`, async () => (await agent.get(`/runs/${run}`)).body.run.status === status);

  beforeEach(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
    person = await world.person('admin', 'Ana', { fresh: true });
    fails = false;
    calls.length = 0;
    await world.app(
      {
        'action.run': ({ run }: { run: string }) => {
          calls.push(run);
          if (fails) throw rpcError(-32001, 'Not now.');
          return { message: 'Done.' };
        },
      },
      { manifest },
    );
  });
  afterEach(() => world.close());

  it('move to the month of their ids, and are read, listed and refused as before', async () => {
    const [old, failed, recent] = [await ended(30), await ended(60, true), await ended(1)];
    const read = async (): Promise<unknown[]> => [
      (await agent.get(`/runs/${old}`)).body,
      (await person.get(`/runs/${failed}`)).body,
      await list('limit=1'),
      await list('limit=50&status=succeeded'),
      await list('limit=2&action=ping'),
      await list('status=failed&action=ping'),
      await list('status=queued'),
      (await agent.post(`/runs/${old}/cancel`)).body.error,
      (await agent.post(`/runs/${old}/retry`)).body.error,
    ];
    const before = await read();
    expect(before[2]).to.deep.equal([recent, old, failed]);
    expect(before[0]).to.deep.include({ run: { ...(before[0] as { run: object }).run, reason: 'why' } });
    await moveNow(world);
    expect(await Promise.all([old, failed, recent].map(placeOf))).to.deep.equal([
      monthOf('runs_ended', daysAgo(30)),
      monthOf('runs_ended', daysAgo(60)),
      'runs',
    ]);
    expect(await world.sql('select from run_reasons')).to.have.length(1);
    expect(await read()).to.deep.equal(before);
  });

  it('go on, and move and come back whole, while a later release adds a column', async () => {
    const use = async (): Promise<string> => {
      const old = await ended(30, true);
      expect((await agent.get(`/runs/${old}`)).status).to.equal(200);
      expect(await list('status=failed')).to.include(old);
      await moveNow(world);
      expect((await agent.get(`/runs/${old}`)).status).to.equal(200);
      fails = false;
      expect((await agent.post(`/runs/${old}/retry`)).status).to.equal(200);
      await settled(old, 'succeeded');
      return old;
    };
    await use();
    await world.sql('alter table runs add column shade int not null default 7');
    await world.sql('alter table runs_ended add column shade int not null default 7');
    const run = await use();
    expect(await world.sql('select shade from runs where id = $1', [run])).to.deep.equal([{ shade: 7 }]);
  });

  it('are retried once, however many ask at once, with reason, id and attempts', async () => {
    const run = await ended(40, true);
    await moveNow(world);
    expect(await placeOf(run)).to.equal(monthOf('runs_ended', daysAgo(40)));
    fails = false;
    const replies = await Promise.all(Array.from({ length: 50 }, () => agent.post(`/runs/${run}/retry`)));
    expect(replies.filter(({ status }) => status === 200 || status === 202)).to.have.length(1);
    expect(replies.filter(({ status }) => status === 409)).to.have.length(49);
    await settled(run, 'succeeded');
    expect(await placeOf(run)).to.equal('runs');
    expect((await agent.get(`/runs/${run}`)).body.run).to.include({ attempt: 2, attempts: 2, reason: 'why' });
    expect(calls.filter((called) => called === run)).to.have.length(1);
    await world.sql('update runs set finished_at = $2 where id = $1', [run, daysAgo(20)]);
    await moveNow(world);
    expect(await placeOf(run)).to.equal(monthOf('runs_ended', daysAgo(40)));
  });

  it('move though thousands that a bulk still needs have ended before them', async () => {
    const [held, free] = [await ended(60), await ended(30)];
    await world.records('order', [{ id: 'o1', title: 'Order' }]);
    const record = { resource: 'order', id: 'o1' };
    const { item } = (await agent.post('/items', { inbox: 'mail', title: 'One', record })).body;
    const bulk = await agent.post('/bulk', { ids: [item.id], operation: { type: 'action', action: 'touch' } });
    expect(bulk.status, bulk.text).to.equal(202);
    const id = String(bulk.body.bulk.id);
    await until('the bulk is done', async () => (await agent.get(`/bulk/${id}`)).body.bulk.status === 'done');
    await world.sql('update bulks set finished_at = null where id = $1', [id]);
    await world.sql('update runs set bulk = $2 where id = $1', [held, id]);
    await world.sql(
      `insert into runs select (json_populate_record(r, json_build_object('id', left(r.id, -4) || lpad(n::text, 4, '0')))).*
       from runs r cross join generate_series(1, 5000) n where r.id = $1`,
      [held],
    );
    await moveNow(world);
    expect(await placeOf(free)).to.equal('runs');
    await moveNow(world);
    expect([await placeOf(held), await placeOf(free)]).to.deep.equal(['runs', monthOf('runs_ended', daysAgo(30))]);
    await world.sql('update bulks set finished_at = $2 where id = $1', [id, daysAgo(1)]);
    for (let turn = 0; turn < 2; turn++) await moveNow(world);
    expect(await placeOf(held)).to.equal(monthOf('runs_ended', daysAgo(60)));
  });

  it('take the items of their bulk along, once that is finished, and bring them back for a retry', async () => {
    await world.records('order', [{ id: 'o1', title: 'Order' }]);
    const record = { resource: 'order', id: 'o1' };
    const { item } = (await agent.post('/items', { inbox: 'mail', title: 'One', record })).body;
    fails = true;
    const accepted = await agent.post('/bulk', { ids: [item.id], operation: { type: 'action', action: 'touch' } });
    const bulk = String(accepted.body.bulk.id);
    await until('the bulk is done', async () => (await agent.get(`/bulk/${bulk}`)).body.bulk.finishedAt !== null);
    const [made] = await world.sql<{ id: string }>('select id from runs where bulk = $1', [bulk]);
    const run = await age(made?.id ?? '', 15);
    await world.sql('update bulks set finished_at = null where id = $1', [bulk]);
    await moveNow(world);
    expect(await placeOf(run), 'its bulk is not finished').to.equal('runs');
    await world.sql('update bulks set finished_at = 1 where id = $1', [bulk]);
    await moveNow(world);
    expect(await placeOf(run)).to.equal(monthOf('runs_ended', daysAgo(15)));
    expect(await world.sql('select from run_items')).to.deep.equal([]);
    fails = false;
    await agent.post(`/runs/${run}/retry`);
    await settled(run, 'succeeded');
    expect(await world.sql('select from run_items where run = $1', [run])).to.have.length(1);
    const { timeline } = (await agent.get(`/items/${String(item.id)}`)).body as { timeline: { data: object }[] };
    expect(timeline[0]?.data).to.include({ status: 'succeeded' });
  });

  it('are settled by an answer that the app kept, also from their month', async () => {
    const run = await ended(30);
    await world.sql("update runs set status = 'unknown', instance = 'here', message = null where id = $1", [run]);
    await moveNow(world);
    const { db } = world.deps;
    const env = (await readRun(db, 1, run))?.env ?? 0;
    expect(
      await settleRunAnswers(world.deps, env, 'here', [{ run, result: { message: 'It was done.' } }]),
    ).to.deep.equal([run]);
    expect((await agent.get(`/runs/${run}`)).body.run).to.include({ status: 'succeeded', message: 'It was done.' });
  });

  it('stay while they are unfinished, however old, and while a retry waits for its approval', async () => {
    const asked = (await agent.post('/actions', { action: 'strict' })).body as { approval: string; run: string };
    const waiting = await age(asked.run, 1_200);
    await world.sql('update approvals set run = $2 where id = $1', [asked.approval, waiting]);
    await moveNow(world);
    expect(await placeOf(waiting)).to.equal('runs');
    fails = true;
    expect((await person.post(`/approvals/${asked.approval}/approve`)).status).to.equal(200);
    await settled(waiting, 'failed');
    await world.sql('update runs set finished_at = $2 where id = $1', [waiting, daysAgo(1_000)]);
    const again = (await agent.post(`/runs/${waiting}/retry`)).body as { approval: string };
    await moveNow(world);
    expect(await placeOf(waiting), 'its retry waits').to.equal('runs');
    await world.sql("update approvals set status = 'rejected' where id = $1", [again.approval]);
    await moveNow(world);
    expect(await placeOf(waiting)).to.equal(monthOf('runs_ended', daysAgo(1_200)));
    await world.sql("update approvals set status = 'pending' where id = $1", [again.approval]);
    await admin('retention', 'set', 'demo', '--runs', '30');
    await expireEndedRows.run(world.deps);
    expect(await placeOf(waiting), 'its retry waits').to.equal(monthOf('runs_ended', daysAgo(1_200)));
    fails = false;
    expect((await person.post(`/approvals/${again.approval}/approve`)).status).to.equal(200);
    await settled(waiting, 'succeeded');
  });

  it('go once no environment keeps them, row by row where another does, and answers say so', async () => {
    await world.environment('second', manifest);
    const [gone, other, kept] = [await ended(100), await ended(101), await ended(20)];
    await world.sql("update runs set env = (select id from environments where name = 'second') where id = $1", [other]);
    await moveNow(world);
    await admin('retention', 'set', 'demo', '--runs', '60');
    await expireEndedRows.run(world.deps);
    expect(await Promise.all([gone, other, kept].map(placeOf))).to.deep.equal([
      '',
      monthOf('runs_ended', daysAgo(101)),
      monthOf('runs_ended', daysAgo(20)),
    ]);
    await admin('retention', 'set', 'second', '--runs', '60');
    await expireEndedRows.run(world.deps);
    expect(await placeOf(other)).to.equal('');
    const answers = [await agent.get(`/runs/${gone}`), await agent.post(`/runs/${gone}/retry`)];
    for (const { status, body } of answers) {
      expect([status, body.code]).to.deep.equal([404, 'not_found']);
      expect(body.error).to.match(/runs are kept for 60 days after they end; .* was kept until/);
    }
    expect((await person.get(`/audit?verb=action.succeed`)).body.entries).to.have.length(3);
  });

  it('are looked for in one month by a plan that was made for any id', async () => {
    for (let days = 30; days <= 120; days += 30) await ended(days);
    await moveNow(world);
    const id = newIdOf('run', daysAgo(90));
    const scans = await scansOf(world, (tx) => readRun(tx, 1, id), `"runs.oneOfAll" (1, '${id}')`);
    expect(scans.filter((line) => line.includes('runs_ended')).join()).to.match(/^[^,]*runs_ended_\d{4}_\d\d[^,]*$/);
  });
});
