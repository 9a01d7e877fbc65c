/** How often a repeatable action is dispatched whose app never answers, and what a run says that was dispatched before. */
import { expect } from 'chai';
import { never, rpcError, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const second = 1_000;
const silent = { background: true, repeatable: true, timeout: 5 * second };
const manifest = {
  resources: [{ name: 'order', source: 'stored' }],
  inboxes: [{ name: 'mail' }],
  actions: [
    { name: 'five', ...silent },
    { name: 'two', ...silent, attempts: 2 },
    { name: 'one', ...silent, attempts: 1 },
    { name: 'strict', ...silent, offline: 'refuse' },
    { name: 'queued', ...silent, offlineExpiry: 60 * second },
    { name: 'drop', ...silent, resource: 'order' },
  ],
} as const;

describe('actions: attempts', () => {
  let world: World;
  let agent: Client;

  beforeEach(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
  });
  afterEach(() => world.close());

  const runOf = async (id: string): Promise<Reply['body']> => (await agent.get(`/runs/${id}`)).body.run;
  const begin = async (action: string, more: object = {}): Promise<string> => {
    const reply = await agent.post('/actions', { action, ...more });
    expect(reply.status, reply.text).to.equal(202);
    return reply.body.run;
  };
  /** The dispatches of a run that the app has received. */
  const dispatches = (app: FakeApp, run: string): number =>
    app.received.filter(({ method, params }) => method === 'action.run' && params.run === run).length;
  /** Moves the clock past the timeout and the wait for a late answer. */
  const giveUpAnswers = async (runs: readonly string[]): Promise<void> => {
    world.clock.advance(6 * second);
    await until('the dispatches count as lost', async () => {
      const open = await world.sql(
        `select 1 from runs where id = any ($1) and status = 'running' and lost_at is null`,
        [runs],
      );
      return open.length === 0;
    });
    world.clock.advance(61 * second);
  };
  /** Lets the app be silent to every dispatch after the first `before`, until the runs have ended. */
  const exhaust = async (app: FakeApp, runs: readonly string[], before = 0): Promise<void> => {
    for (let round = 1; ; round++) {
      const found = await until('each run is dispatched or has ended', async () => {
        const now = await Promise.all(runs.map(runOf));
        const begun = ({ id, status }: Reply['body']): boolean =>
          status !== 'running' || dispatches(app, id) >= before + round;
        return now.every(begun) ? now : undefined;
      });
      if (found.every(({ status }) => status !== 'running')) return;
      await giveUpAnswers(runs);
    }
  };
  const offline = async (app: FakeApp): Promise<void> => {
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
  };

  it('end unknown after as many dispatches as the action declares, 5 by default, and a retry begins anew', async () => {
    const app = await world.app({ 'action.run': never });
    const actions = ['five', 'two', 'one'] as const;
    const runs = await Promise.all(actions.map((action) => begin(action)));
    await exhaust(app, runs);
    for (const [n, most] of [5, 2, 1].entries()) {
      const run = runs[n] ?? '';
      expect(await runOf(run), actions[n]).to.include({ status: 'unknown', attempts: most, code: 'app_timeout' });
      expect(dispatches(app, run), actions[n]).to.equal(most);
      expect((await runOf(run)).error).to.include(most === 1 ? 'once' : `${String(most)} times`);
    }
    const retried = runs[1] ?? '';
    await agent.post(`/runs/${retried}/retry`);
    await exhaust(app, [retried], 2);
    expect(await runOf(retried)).to.include({ status: 'unknown', attempts: 4 });
  });

  it('of an action that is not queued say what was done when the app goes offline in between', async () => {
    const app = await world.app({ 'action.run': never });
    const run = await begin('strict');
    await until('it is dispatched', () => dispatches(app, run) === 1);
    await offline(app);
    await giveUpAnswers([run]);
    const ended = await until('it has ended', async () => {
      const found = await runOf(run);
      return found.finishedAt === null ? undefined : found;
    });
    expect(ended).to.include({ status: 'unknown', code: 'app_offline', attempts: 1 });
    expect(ended.error).to.include('handed to the app once').and.not.include('before it was begun');
  });

  it('tell a failure that the app reported before it went offline', async () => {
    const app: FakeApp = await world.app({
      'action.run': () => {
        throw rpcError(-32001, 'The till is busy.', { retryable: true });
      },
    });
    const run = await begin('strict');
    await until('it has failed once', async () => (await runOf(run)).message === 'The till is busy.');
    await offline(app);
    const ended = await until('it has ended', async () => {
      const found = await runOf(run);
      return found.finishedAt === null ? undefined : found;
    });
    expect(ended).to.include({ status: 'failed', code: 'app_offline' });
    expect(ended.error).to.include('The till is busy.').and.not.include('before it was begun');
  });

  it('never end as expired, cancelled or refused when an answer is missing: that it was done is possible', async () => {
    await world.records('order', [{ id: 'o1', title: 'Order 1' }]);
    const app = await world.app({ 'action.run': never });
    const [queued, drop] = [await begin('queued'), await begin('drop', { record: 'o1' })];
    await until('both are dispatched', () => dispatches(app, queued) + dispatches(app, drop) === 2);
    // The app has done its work: the record is gone.
    await world.sql(`delete from records where id = 'o1'`);
    await giveUpAnswers([drop]);
    const dropped = await until('the second dispatch is refused', async () => {
      const found = await runOf(drop);
      return found.finishedAt === null ? undefined : found;
    });
    expect(dropped).to.include({ status: 'unknown', code: 'not_found', attempts: 1 });
    await offline(app);
    await giveUpAnswers([queued]);
    await until('it waits for the app', async () => (await runOf(queued)).status === 'queued');
    world.clock.advance(61 * second);
    const expired = await until('its time is up', async () => {
      const found = await runOf(queued);
      return found.finishedAt === null ? undefined : found;
    });
    expect(expired).to.include({ status: 'unknown' });
    expect(expired.error).to.include('handed to the app').and.include('did not come back');
  });
});
