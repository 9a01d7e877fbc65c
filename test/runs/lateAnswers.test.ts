/** Late answers of apps: a success ends its run as done, also in a bulk, and before a retry of it goes out. */
import { expect } from 'chai';
import { unfinishedRuns } from '../../workers/sweeps/unfinishedRuns.ts';
import { never, type FakeApp } from '../support/app.ts';
import { deferred } from '../support/deferred.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const second = 1_000;
const manifest = {
  resources: [{ name: 'order', source: 'stored' }],
  inboxes: [{ name: 'mail' }],
  actions: [
    { name: 'refund', resource: 'order', background: true },
    { name: 'pay', timeout: 30 * second },
  ],
} as const;
const refunded = { result: { message: 'Refunded.' } };
const refused = { error: { code: -32001, message: 'Not today.' } };

const dispatched = (app: FakeApp): string[] =>
  app.received.filter(({ method }) => method === 'action.run').map(({ params }) => params.run as string);

describe('actions: late answers', () => {
  let world: World;
  let agent: Client;

  beforeEach(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
    await world.records(
      'order',
      ['o1', 'o2'].map((id) => ({ id, title: id })),
    );
  });
  afterEach(() => world.close());

  const runOf = async (id: string): Promise<Reply['body']> => (await agent.get(`/runs/${id}`)).body.run;
  const offline = async (app: FakeApp): Promise<void> => {
    await app.close();
    await until('the app is offline', async () => (await world.sql('select from app_connections')).length === 0);
  };
  /** Takes an app away that has the runs, for so long that their ends are unknown. */
  const loseAll = async (app: FakeApp, runs: readonly string[]): Promise<void> => {
    await offline(app);
    await until('their answers are missing', async () => {
      const lost = await world.sql('select from runs where id = any ($1) and lost_at is not null', [runs]);
      return lost.length === runs.length;
    });
    world.clock.advance(61 * second);
    for (const run of runs)
      await until('its end is unknown', async () => (await runOf(run)).status === 'unknown', 20_000);
  };
  /** Returns the run of a refund that the instance `one` began and that ended unknown. */
  const loseRefund = async (): Promise<string> => {
    const app = await world.app({ 'action.run': never }, { instance: 'one' });
    const { run } = (await agent.post('/actions', { action: 'refund', record: 'o1' })).body as { run: string };
    await until('the app has it', () => dispatched(app).length === 1);
    await loseAll(app, [run]);
    return run;
  };
  /** An instance that is connected and does nothing any more: it hands in what it has. */
  const returning = (instance: string): Promise<FakeApp> =>
    world.app({}, { instance, manifest: { ...manifest, actions: [] }, startedAt: 1 });
  const handIn = (app: FakeApp, answers: readonly object[]): Promise<unknown> =>
    app.request('run.answers', { answers });
  /** Retries a run while nobody can do it. */
  const retryOffline = async (run: string): Promise<void> => {
    const reply = await agent.post(`/runs/${run}/retry`);
    expect([reply.status, reply.body.queued], reply.text).to.deep.equal([202, true]);
  };
  /** Connects an app that works, and returns what it has been given once it has done one more refund. */
  const workOn = async (): Promise<string[]> => {
    const app = await world.app({ 'action.run': () => ({ message: 'Refunded now.' }) });
    const { run } = (await agent.post('/actions', { action: 'refund', record: 'o2' })).body as { run: string };
    await until('the app works', async () => (await runOf(run)).status === 'succeeded');
    await until('nothing else is to be begun', async () => (await world.sql('select 1 from staged_jobs')).length === 0);
    return dispatched(app).filter((id) => id !== run);
  };

  it('end the runs of a bulk as they say, which keeps what it has counted', async () => {
    const items: string[] = [];
    for (const id of ['o1', 'o2'])
      items.push(
        (await agent.post('/items', { inbox: 'mail', title: id, record: { resource: 'order', id } })).body.item.id,
      );
    const app = await world.app({ 'action.run': never }, { instance: 'one' });
    const { bulk } = (await agent.post('/bulk', { ids: items, operation: { type: 'action', action: 'refund' } })).body;
    await until('the app has both', () => dispatched(app).length === 2);
    const [done, failed] = dispatched(app);
    await loseAll(app, [done ?? '', failed ?? '']);
    const resultsOf = async (): Promise<unknown> => (await agent.get(`/bulk/${String(bulk.id)}/results`)).body.results;
    await until('the bulk is finished', async () => (await agent.get(`/bulk/${String(bulk.id)}`)).body.bulk.finishedAt);
    const counted = await resultsOf();

    const answers = [
      { run: done, ...refunded },
      { run: failed, ...refused },
    ];
    expect(await handIn(await returning('one'), answers)).to.deep.equal({ settled: [done, failed] });
    expect(await runOf(done ?? '')).to.include({ status: 'succeeded', message: 'Refunded.' });
    expect(await runOf(failed ?? '')).to.include({ status: 'failed', error: 'Not today.' });
    expect((await agent.post(`/runs/${String(done)}/retry`)).status).to.equal(409);
    expect(await resultsOf()).to.deep.equal(counted);
    expect((await agent.get(`/bulk/${String(bulk.id)}`)).body.bulk).to.include({ changed: 0, failed: 2 });
  });

  it('end a run whose retry has not gone out, so that it is not done twice', async () => {
    const run = await loseRefund();
    await retryOffline(run);
    expect(await handIn(await returning('one'), [{ run, ...refunded }])).to.deep.equal({ settled: [run] });
    expect(await runOf(run)).to.include({ status: 'succeeded', message: 'Refunded.', attempt: 2, attempts: 1 });
    expect(await workOn()).to.deep.equal([]);
  });

  it('let a retry go out when they say that nothing was done', async () => {
    const run = await loseRefund();
    await retryOffline(run);
    expect(await handIn(await returning('one'), [{ run, ...refused }])).to.deep.equal({ settled: [run] });
    expect(await runOf(run)).to.include({ status: 'queued', attempt: 2 });
    expect(await workOn()).to.deep.equal([run]);
  });

  it('are kept by an instance that did not have the run last, until nothing can be done again', async () => {
    const run = await loseRefund();
    const other = await returning('two');
    const answers = [{ run, ...refunded }];
    expect(await handIn(other, answers), 'unknown').to.deep.equal({ settled: [] });
    await retryOffline(run);
    expect(await handIn(other, answers), 'queued').to.deep.equal({ settled: [] });
    expect(await workOn()).to.deep.equal([run]);
    await until('it is done', async () => (await runOf(run)).status === 'succeeded');
    expect(await handIn(other, answers), 'succeeded').to.deep.equal({ settled: [run] });
  });

  it('count from any instance when they name their attempt: a failure of the last one, a success of any', async () => {
    const [done, failed] = [await loseRefund(), await loseRefund()];
    const other = await returning('two');
    const answers = [
      { run: done, attempt: 1, ...refunded },
      { run: failed, attempt: 1, ...refused },
    ];
    expect(await handIn(other, answers)).to.deep.equal({ settled: [done, failed] });
    expect(await runOf(done)).to.include({ status: 'succeeded', message: 'Refunded.' });
    expect(await runOf(failed)).to.include({ status: 'failed', error: 'Not today.' });

    const answer = deferred<object>();
    const third = await world.app({ 'action.run': () => answer.promise }, { instance: 'three' });
    await agent.post(`/runs/${failed}/retry`);
    await until('it is given out again', () => dispatched(third).length === 1);
    expect(await handIn(other, [{ run: failed, attempt: 1, ...refused }]), 'of the first attempt').to.deep.equal({
      settled: [failed],
    });
    for (const attempt of [3, 0, -1])
      expect(await handIn(other, [{ run: failed, attempt, ...refunded }]), 'of no attempt').to.deep.equal({
        settled: [],
      });
    expect(await runOf(failed)).to.include({ status: 'running', attempts: 2 });
    expect(await handIn(other, [{ run: failed, attempt: 1, ...refunded }])).to.deep.equal({ settled: [failed] });
    expect(await runOf(failed)).to.include({ status: 'succeeded', message: 'Refunded.' });
    answer.resolve({ message: 'Refunded once more.' });
    await until('its own answer is settled', () => third.received.some(({ method }) => method === 'run.settled'));
    expect(await runOf(failed)).to.include({ message: 'Refunded.' });
  });

  it('end no run that nobody was given, whatever attempt they name', async () => {
    const app = await world.app();
    await offline(app);
    const { run } = (await agent.post('/actions', { action: 'refund', record: 'o1' })).body as { run: string };
    const answers = [0, 1].map((attempt) => ({ run, attempt, ...refunded }));
    expect(await handIn(await returning('two'), answers)).to.deep.equal({ settled: [] });
    expect(await runOf(run)).to.include({ status: 'queued', attempts: 0 });
  });

  it('end a run whose retry was cancelled, which may have been done all the same', async () => {
    const run = await loseRefund();
    await retryOffline(run);
    const cancelled = await agent.post(`/runs/${run}/cancel`);
    expect(cancelled.body.run, cancelled.text).to.include({ status: 'unknown' });
    expect(cancelled.body.run.error).to.include('it is not known whether it was done').and.to.include('Cancelled by');
    expect(await handIn(await returning('one'), [{ run, ...refunded }])).to.deep.equal({ settled: [run] });
    expect(await runOf(run)).to.include({ status: 'succeeded' });
  });
});

describe('actions: late answers over the same socket', () => {
  let world: World;
  before(async () => {
    world = await newWorld({ manifest, workers: false });
  });
  after(() => world.close());

  it('end a run whose retry has not gone out', async () => {
    const agent = await world.agent('admin');
    const answer = deferred<object>();
    const app = await world.app({ 'action.run': () => answer.promise });
    const asked = agent.post('/actions', { action: 'pay' });
    await until('the app has it', () => dispatched(app).length === 1);
    const [run = ''] = dispatched(app);
    const statusOf = async (): Promise<unknown> => (await agent.get(`/runs/${run}`)).body.run.status;
    /** Keeps presence away, which the process with the socket puts back, until the condition holds. */
    const absentUntil = (what: string, holds: () => Promise<boolean>): Promise<unknown> =>
      until(what, async () => {
        await world.sql('delete from app_connections');
        await unfinishedRuns.run(world.deps);
        return holds();
      });
    await absentUntil('it is lost', async () => (await world.sql('select from runs where lost_at > 0')).length === 1);
    world.clock.advance(61 * second);
    await absentUntil('its end is unknown', async () => (await statusOf()) === 'unknown');
    await asked;
    await absentUntil('its retry waits', async () => {
      await agent.post(`/runs/${run}/retry`);
      return (await statusOf()) !== 'unknown';
    });
    answer.resolve({ message: 'Paid.' });
    await until('it is done', async () => (await statusOf()) === 'succeeded');
    await until('the app may forget it', () => app.received.some(({ method }) => method === 'run.settled'));
    expect(dispatched(app)).to.deep.equal([run]);
  });
});
