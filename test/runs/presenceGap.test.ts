/** Runs whose connection counts as gone while its socket lives, as when PostgreSQL is away for longer than presence lasts. */
import { expect } from 'chai';
import { confirmWritten } from '../../shared/runs/call/dispatchRun.ts';
import { readRun } from '../../shared/runs/model.ts';
import { unfinishedRuns } from '../../workers/sweeps/unfinishedRuns.ts';
import { rpcError, type FakeApp } from '../support/app.ts';
import { deferred } from '../support/deferred.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const minute = 60_000;
const manifest = {
  resources: [],
  inboxes: [{ name: 'mail' }],
  actions: [{ name: 'ship', background: true, timeout: 60 * minute }],
} as const;

describe('actions: a connection that counts as gone for a while', () => {
  let world: World;
  let agent: Client;

  beforeEach(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
  });
  afterEach(() => world.close());

  const runOf = async (id: string): Promise<Reply['body']> => (await agent.get(`/runs/${id}`)).body.run;
  const calls = (app: FakeApp, method = 'action.run'): number =>
    app.received.filter((call) => call.method === method).length;
  /** Begins a run and returns it once the app has it. */
  const begin = async (app: FakeApp): Promise<string> => {
    const { run } = (await agent.post('/actions', { action: 'ship' })).body as { run: string };
    await until('the app has it', () => calls(app) === 1);
    return run;
  };
  const sweep = (): Promise<unknown> => unfinishedRuns.run(world.deps);
  /** Keeps presence away until the condition holds; the process with the socket puts its row back later. */
  const absentUntil = (what: string, holds: () => Promise<boolean>): Promise<unknown> =>
    until(what, async () => {
      await world.sql('delete from app_connections');
      await sweep();
      return holds();
    });
  const isLost = async (run: string): Promise<boolean> =>
    (await world.sql('select from runs where id = $1 and lost_at is not null', [run])).length === 1;
  const lose = (run: string): Promise<unknown> => absentUntil('the run counts as lost', () => isLost(run));
  const endUnknown = async (run: string): Promise<void> => {
    await lose(run);
    world.clock.advance(minute + 1_000);
    await absentUntil('its end is unknown', async () => (await runOf(run)).status === 'unknown');
  };
  const present = (): Promise<unknown> =>
    until('presence is back', async () => (await world.sql('select from app_connections')).length === 1, 15_000);
  const isSettled = (run: string, status: string): Promise<unknown> =>
    until(`it is ${status}`, async () => (await runOf(run)).status === status);

  it('leaves the app its whole time once it is present again', async () => {
    const answer = deferred<object>();
    const app = await world.app({ 'action.run': () => answer.promise });
    const run = await begin(app);
    await lose(run);
    await present();
    world.clock.advance(5 * minute);
    await sweep();
    expect(await runOf(run)).to.include({ status: 'running', attempts: 1 });
    answer.resolve({ message: 'Shipped.' });
    await isSettled(run, 'succeeded');
    expect(await runOf(run)).to.include({ message: 'Shipped.', attempts: 1 });
  });

  it('still ends the run as unknown when its time and the wait for a late answer are over', async () => {
    const app = await world.app({ 'action.run': () => new Promise(() => undefined) });
    const run = await begin(app);
    await lose(run);
    await present();
    world.clock.advance(61 * minute + 1_000);
    await isSettled(run, 'unknown');
  });

  it('lets the process that has dispatched it call the app, however late it learns of its commit, until the run has ended', async () => {
    const app = await world.app({ 'action.run': () => new Promise(() => undefined) });
    const run = await begin(app);
    const env = world.deps.directory.environment('demo')?.id ?? 0;
    const handed = await readRun(world.deps.db, env, run);
    if (handed === undefined) throw new Error('There is no run.');
    await lose(run);
    expect(await confirmWritten(world.deps, handed)).to.equal(true);
    await endUnknown(run);
    expect(await confirmWritten(world.deps, handed)).to.equal(false);
  });

  it('takes the answer that comes over the same socket after the end was called unknown', async () => {
    const answer = deferred<object>();
    const app = await world.app({ 'action.run': () => answer.promise });
    const run = await begin(app);
    await endUnknown(run);
    expect(calls(app, 'run.settled')).to.equal(0);
    answer.resolve({ message: 'Shipped.' });
    await isSettled(run, 'succeeded');
    expect(await runOf(run)).to.include({ message: 'Shipped.', error: null, code: null, attempts: 1 });
    await until('the app may forget it', () => calls(app, 'run.settled') === 1);
    const { entries } = (await agent.get(`/audit?target=${run}`)).body as { entries: { verb: string }[] };
    expect(entries.map(({ verb }) => verb)).to.deep.equal(['action.succeed', 'action.lose', 'action.run']);
  });

  it('takes a refusal then too, as an end and not as a reason to try again', async () => {
    const answer = deferred();
    const app = await world.app({
      'action.run': async () => {
        await answer.promise;
        throw rpcError(-32001, 'Out of stock.', { retryable: true });
      },
    });
    const run = await begin(app);
    await endUnknown(run);
    answer.resolve();
    await isSettled(run, 'failed');
    expect(await runOf(run)).to.include({ error: 'Out of stock.', code: 'action_failed', attempts: 1 });
  });

  it('lets the answer of the earlier dispatch count no more once somebody has retried the run', async () => {
    const answers = [deferred<object>(), deferred<object>()] as const;
    let n = 0;
    const app = await world.app({ 'action.run': () => answers[n++ === 0 ? 0 : 1].promise });
    const run = await begin(app);
    await endUnknown(run);
    await present();
    expect((await agent.post(`/runs/${run}/retry`)).status).to.equal(202);
    await until('the app has it again', () => calls(app) === 2);
    answers[0].resolve({ message: 'The first.' });
    answers[1].resolve({ message: 'The second.' });
    await isSettled(run, 'succeeded');
    expect(await runOf(run)).to.include({ message: 'The second.', attempts: 2 });
  });
});
