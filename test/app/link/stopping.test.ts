/** An instance that says that it is stopping: what it refuses goes to another one, or waits, and only reads go to it from then on. */
import { expect } from 'chai';
import type { Declaration } from '../../../shared/app/link/link.ts';
import { connectApp, rpcError, type FakeApp, type Handler } from '../../support/app.ts';
import type { Client } from '../../support/http.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const manifest = {
  ...testManifest,
  resources: [...testManifest.resources, { name: 'order', source: 'app' }],
  inboxes: [...testManifest.inboxes, { name: 'sorted', triage: { rules: [], app: true } }],
  actions: [...testManifest.actions, { name: 'ping' }],
};
const orders: Declaration = { kind: 'resource', name: 'order' };
const ping: Declaration = { kind: 'action', name: 'ping' };

const stops: Handler = () => {
  throw rpcError(-32001, 'The app is stopping.', { retryable: true, stopping: true });
};

describe('app link: an instance that is stopping', () => {
  let world: World;
  let key: Client;
  let agent: Client;
  let env: number;
  let elsewhere: string;
  const apps: FakeApp[] = [];
  const connect = async (handlers: Record<string, Handler>, base = key.base): Promise<FakeApp> => {
    const app = await connectApp(key, { manifest, handlers, base });
    apps.push(app);
    return app;
  };
  const countOf = (app: FakeApp, called: string): number =>
    app.received.filter(({ method }) => method === called).length;

  before(async () => {
    world = await newWorld({ manifest });
    key = await world.appKey();
    agent = await world.agent('admin');
    env = world.deps.directory.environment('demo')?.id ?? 0;
    elsewhere = (await world.api()).base();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await until('all are gone', async () => (await world.sql('select from app_connections')).length === 0);
  });
  after(() => world.close());

  /** Resolves when a job waits for an app that takes it. */
  const parked = () =>
    until('its job waits', async () => (await world.sql('select from staged_jobs where waits_for_app')).length === 1);
  const runOf = async (run: string): Promise<{ status: string; message: string | null; attempts: number }> =>
    (await agent.get(`/runs/${run}`)).body.run;

  for (const [where, base] of [
    ['this process', () => key.base],
    ['another process', () => elsewhere],
  ] as const)
    it(`gives its runs to another instance and goes on reading from it, with its socket in ${where}`, async () => {
      const { link } = world.deps;
      const old = await connect(
        { 'action.run': stops, 'records.get': ({ ids }) => ({ records: [{ id: ids[0], title: 'Old' }] }) },
        base(),
      );
      const { body } = await agent.post('/actions', { action: 'ping' });
      const { run } = body as { run: string };
      await parked();
      expect((await runOf(run)).status).to.equal('queued');
      await until('no run goes to it', async () => !(await link.online(env, ping)));
      const read = () =>
        link.call(env, 'records.get', { resource: 'order', ids: ['1'] }, { declares: orders, timeoutMs: 5_000 });
      expect(await read()).to.deep.include({ kind: 'answer' });

      const other = await connect({ 'action.run': () => ({ message: 'Done.' }) }, elsewhere);
      await until('the run has ended', async () => (await runOf(run)).status === 'succeeded');
      expect(await runOf(run)).to.deep.include({ message: 'Done.', attempts: 1 });
      for (let n = 0; n < 3; n++) expect((await agent.post('/actions', { action: 'ping' })).status).to.equal(200);
      expect([countOf(old, 'action.run'), countOf(other, 'action.run')]).to.deep.equal([1, 4]);
    });

  it('sends a reply that it has refused by another instance, once', async () => {
    const old = await connect({ 'reply.send': stops });
    const { item } = (await old.request('items.report', { inbox: 'mail', title: 'Hello' })) as { item: string };
    expect((await agent.post(`/items/${item}/reply`, { text: 'Hi.' })).status).to.be.within(200, 299);
    await parked();
    const other = await connect({ 'reply.send': () => null });
    await until('it is sent', () => countOf(other, 'reply.send') === 1);
    await world.settled();
    expect([countOf(old, 'reply.send'), countOf(other, 'reply.send')]).to.deep.equal([1, 1]);
  });

  it('lets another instance triage what it has refused', async () => {
    const old = await connect({ 'triage.answer': stops });
    const { item } = (await old.request('items.report', { inbox: 'sorted', title: 'Hello' })) as { item: string };
    await parked();
    const other = await connect({ 'triage.answer': () => ({ answers: { spam: 'no' } }) });
    await until('it is triaged', async () => (await agent.get(`/items/${item}`)).body.triage !== null);
    expect([countOf(old, 'triage.answer'), countOf(other, 'triage.answer')]).to.deep.equal([1, 1]);
  });
});
