/** How long a run waits for the app at most: its first deadline holds, however often the app comes and goes. */
import { expect } from 'chai';
import type { LocalConnection } from '../../shared/app/link/localConnections.ts';
import { createLine } from '../../shared/platform/turns/line.ts';
import { dispatchRun } from '../../shared/runs/call/dispatchRun.ts';
import { never, rpcError, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const second = 1_000;
const manifest = {
  resources: [],
  inboxes: [{ name: 'mail' }],
  actions: [
    { name: 'ship', background: true, offlineExpiry: 600 * second },
    { name: 'shipAgain', background: true, repeatable: true, timeout: 5 * second, offlineExpiry: 600 * second },
  ],
} as const;

describe('actions: the deadline of a run that waits for the app', () => {
  let world: World;
  let agent: Client;

  beforeEach(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
  });
  afterEach(() => world.close());

  const runOf = async (id: string): Promise<Reply['body']> => (await agent.get(`/runs/${id}`)).body.run;
  /** Requests an action while the app is offline; returns the run and its deadline. */
  const queue = async (action: string): Promise<{ run: string; expiresAt: number }> => {
    const reply = await agent.post('/actions', { action });
    expect([reply.status, reply.body.queued], reply.text).to.deep.equal([202, true]);
    const { expiresAt } = await runOf(reply.body.run as string);
    expect(expiresAt).to.be.within(world.clock.now() + 590 * second, world.clock.now() + 600 * second);
    return { run: reply.body.run as string, expiresAt: expiresAt as number };
  };
  const offline = async (app: FakeApp): Promise<void> => {
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
  };
  const queuedAgain = (run: string): Promise<Reply['body']> =>
    until(
      'it waits for the app again',
      async () => {
        const found = await runOf(run);
        return found.status === 'queued' && found;
      },
      20_000,
    );
  const expires = async (run: string, expiresAt: number): Promise<void> => {
    world.clock.advance(expiresAt - world.clock.now() - 5 * second);
    expect((await runOf(run)).status).to.equal('queued');
    world.clock.advance(6 * second);
    await until('its time is up', async () => (await runOf(run)).finishedAt !== null);
  };

  it('is the first one after the app has put the run off and gone, and the run is not done later', async () => {
    const { run, expiresAt } = await queue('ship');
    for (const round of [1, 2]) {
      world.clock.advance(100 * second);
      const app = await world.app({
        'action.run': () => {
          throw rpcError(-32001, `Busy ${String(round)}.`, { retryable: true });
        },
      });
      await until('the app puts it off', async () => (await runOf(run)).message === `Busy ${String(round)}.`);
      expect((await runOf(run)).expiresAt, 'nothing expires that has begun').to.equal(null);
      await offline(app);
      expect((await queuedAgain(run)).expiresAt).to.equal(expiresAt);
    }
    await expires(run, expiresAt);
    expect(await runOf(run)).to.include({ status: 'expired' });
    const back = await world.app({ 'action.run': () => ({ message: 'Shipped.' }) });
    const { run: next } = (await agent.post('/actions', { action: 'ship' })).body as { run: string };
    await until('the app works', async () => (await runOf(next)).status === 'succeeded');
    expect(back.received.filter(({ method }) => method === 'action.run').map(({ params }) => params.run)).to.deep.equal(
      [next],
    );
  });

  it('is the first one after an answer has failed to come, and the run says that it may have been done', async () => {
    const { run, expiresAt } = await queue('shipAgain');
    const app = await world.app({ 'action.run': never });
    await until('the app has it', () => app.received.some(({ method }) => method === 'action.run'));
    await offline(app);
    await until(
      'its answer is missing',
      async () => (await world.sql('select from runs where lost_at is not null')).length === 1,
    );
    world.clock.advance(61 * second);
    expect((await queuedAgain(run)).expiresAt).to.equal(expiresAt);
    await expires(run, expiresAt);
    expect(await runOf(run)).to.include({ status: 'unknown' });
  });

  it('is the first one after a connection has gone before anything was sent, and the run waits as before', async () => {
    const { run, expiresAt } = await queue('ship');
    world.clock.advance(100 * second);
    const env = world.deps.directory.environment('demo');
    if (env === undefined) throw new Error('The world is incomplete.');
    const gone: LocalConnection = {
      connection: { id: 'con_gone', instance: 'gone', process: 'gone' },
      runs: createLine(0),
      call: () => Promise.resolve({ kind: 'offline' }),
      notify: () => undefined,
    };
    await dispatchRun(world.deps, env, { run }, gone);
    expect(await runOf(run)).to.include({ status: 'queued', expiresAt, attempts: 0 });
    await world.settled();
    expect(await runOf(run)).to.include({ status: 'queued', expiresAt });
    await expires(run, expiresAt);
    expect(await runOf(run)).to.include({ status: 'expired', attempts: 0 });
  });

  it('is a new one for a retry, which is a new request', async () => {
    const { run, expiresAt } = await queue('ship');
    await expires(run, expiresAt);
    expect((await agent.post(`/runs/${run}/retry`)).status).to.equal(202);
    const retried = await runOf(run);
    expect(retried).to.include({ status: 'queued' });
    expect(retried.expiresAt).to.be.above(expiresAt + 500 * second);
  });
});
