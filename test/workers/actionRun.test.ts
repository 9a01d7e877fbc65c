/** The job that starts a run: what it does not start any more, though it was accepted. */
import { expect } from 'chai';
import { closeDeps, openDeps, type Deps } from '../../shared/deps.ts';
import { createWorkerProcess, type WorkerProcess } from '../../workers/workerProcess.ts';
import { connectApp, rpcError, type FakeApp, type Handler } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [{ name: 'order', source: 'stored' }],
  inboxes: [{ name: 'mail' }],
  actions: [{ name: 'refund', resource: 'order', background: true }],
} as const;
const records = ['o1', 'o2', 'o3'];

describe('the job of a run', () => {
  let world: World;
  let workers: Deps;
  let crew: WorkerProcess;
  let admin: Client;
  let key: Client;
  let items: string[];
  const apps: FakeApp[] = [];

  before(async () => {
    world = await newWorld({ manifest, workers: false });
    workers = await openDeps(world.config, 'workers', world.clock);
    crew = createWorkerProcess(workers);
    await crew.start();
    admin = await world.agent('admin');
    key = await world.appKey();
    await world.records(
      'order',
      records.map((id) => ({ id, title: id })),
    );
    items = [];
    for (const id of records) {
      const made = await admin.post('/items', { inbox: 'mail', title: id, record: { resource: 'order', id } });
      items.push(made.body.item.id as string);
    }
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await until('the app is offline', async () => (await world.sql('select from app_connections')).length === 0);
  });
  after(async () => {
    await crew.stop();
    await closeDeps(workers);
    await world.close();
  });

  const online = async (run: Handler = () => ({ message: 'Refunded.' })): Promise<FakeApp> => {
    const app = await connectApp(key, { manifest, handlers: { 'action.run': run } });
    apps.push(app);
    return app;
  };
  const dispatched = (app: FakeApp): number => app.received.filter(({ method }) => method === 'action.run').length;
  const start = async (client: Client): Promise<Reply['body']> => {
    const reply = await client.post('/bulk', { ids: items, operation: { type: 'action', action: 'refund' } });
    expect(reply.status, reply.text).to.equal(202);
    return reply.body;
  };
  const allQueued = (bulk: string): Promise<unknown> =>
    until(
      'all its runs wait for the app',
      async () =>
        (await world.sql(`select from runs where bulk = $1 and status = 'queued'`, [bulk])).length === records.length,
    );
  const finished = (client: Client, bulk: string): Promise<Reply['body']> =>
    until('it is finished', async () => {
      const found = (await client.get(`/bulk/${bulk}`)).body.bulk;
      return found.finishedAt !== null && found;
    });
  const endsOf = async (bulk: string): Promise<string[]> =>
    (
      await world.sql<{ status: string; code: string | null }>('select status, code from runs where bulk = $1', [bulk])
    ).map(({ status, code }) => `${status} ${String(code)}`);
  const supervise = async ({ id }: Client): Promise<void> => {
    await world.sql(`update agents set mode = 'supervised' where id = $1`, [id]);
    await world.sql('update revisions set n = n + 1');
    await Promise.all([world.deps.directory.refresh(), workers.directory.refresh()]);
  };

  it('dispatches nothing of a bulk whose agent is supervised since, as no person has approved it', async () => {
    const agent = await world.agent('admin');
    const { bulk } = await start(agent);
    await allQueued(bulk.id as string);
    await supervise(agent);
    const app = await online();
    expect(await finished(agent, bulk.id as string)).to.include({ changed: 0, failed: records.length });
    expect(await endsOf(bulk.id as string)).to.deep.equal(records.map(() => 'failed forbidden'));
    expect(dispatched(app)).to.equal(0);
  });

  it('dispatches what a person has approved for a supervised agent', async () => {
    const agent = await world.agent('admin', { mode: 'supervised' });
    const { bulk, approval } = await start(agent);
    const person = await world.person('admin');
    expect((await person.post(`/approvals/${String(approval)}/approve`)).status).to.equal(200);
    await allQueued(bulk.id as string);
    const app = await online();
    expect(await finished(agent, bulk.id as string)).to.include({ status: 'done', changed: records.length });
    expect(dispatched(app)).to.equal(records.length);
  });

  it('does not take the approval of an earlier request for that of a retry', async () => {
    const [first, second] = [await world.agent('admin', { mode: 'supervised' }), await world.agent('admin')];
    const { approval, run } = (await first.post('/actions', { action: 'refund', record: 'o1' })).body;
    const refusing = await online(() => {
      throw rpcError(-32001, 'Not today.');
    });
    const person = await world.person('admin');
    expect((await person.post(`/approvals/${String(approval)}/approve`)).status).to.equal(200);
    const settled = (status: string): Promise<Reply['body']> =>
      until(`it is ${status}`, async () => {
        const found = (await admin.get(`/runs/${String(run)}`)).body.run;
        return found.status === status && found;
      });
    await settled('failed');
    await refusing.close();
    await until('the app is offline', async () => (await world.sql('select from app_connections')).length === 0);
    expect((await second.post(`/runs/${String(run)}/retry`)).body).to.include({ queued: true });
    await supervise(second);
    const app = await online();
    expect(await settled('failed')).to.include({ code: 'forbidden' });
    expect(dispatched(app)).to.equal(0);
  });

  it('cancels what a cancelled bulk has not begun, should nobody have settled it yet', async () => {
    const { bulk } = await start(admin);
    await allQueued(bulk.id as string);
    await until(
      'no job of the bulk is left',
      async () => (await world.sql(`select from staged_jobs where name = 'bulkChunk'`)).length === 0,
    );
    // What a process has committed that did not live to settle the runs.
    await world.sql('update bulks set cancelled = true where id = $1', [bulk.id]);
    const app = await online();
    expect(await finished(admin, bulk.id as string)).to.include({ status: 'cancelled', failed: records.length });
    expect(await endsOf(bulk.id as string)).to.deep.equal(records.map(() => 'cancelled null'));
    const { results } = (await admin.get(`/bulk/${String(bulk.id)}/results`)).body;
    expect(results.map(({ outcome }: { outcome: string }) => outcome)).to.deep.equal(records.map(() => 'cancelled'));
    expect(dispatched(app)).to.equal(0);
  });

  it('dispatches a retry of a run whatever became of its bulk', async () => {
    const app = await online(() => {
      throw rpcError(-32001, 'Not today.');
    });
    const { bulk } = await start(admin);
    await finished(admin, bulk.id as string);
    await world.sql('update bulks set cancelled = true where id = $1', [bulk.id]);
    app.handle('action.run', () => ({ message: 'Refunded.' }));
    const [made] = await world.sql<{ id: string }>('select id from runs where bulk = $1 order by id', [bulk.id]);
    const run = made?.id ?? '';
    expect((await admin.post(`/runs/${run}/retry`)).status).to.equal(202);
    await until('it is done', async () => (await admin.get(`/runs/${run}`)).body.run.status === 'succeeded');
  });
});
