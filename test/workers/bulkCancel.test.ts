/** Cancelling a bulk of actions: its runs end by a job, whatever is killed in between and however long the app stays away. */
import { expect } from 'chai';
import type { Deps } from '../../shared/deps.ts';
import { orphanedBulks } from '../../workers/sweeps/index.ts';
import type { Client, Reply } from '../support/http.ts';
import { handlers } from '../support/jobHandlers.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [{ name: 'order', source: 'stored' }],
  inboxes: [{ name: 'mail' }],
  actions: [{ name: 'ship', label: 'Ship', resource: 'order' }],
} as const;

describe('cancelling a bulk of actions', () => {
  let world: World;
  let agent: Client;
  let made = 0;

  before(async () => {
    world = await newWorld({ manifest, workers: false });
    agent = await world.agent('admin');
  });
  after(() => world.close());

  const work = (bulk: string, deps: Deps = world.deps, signal = new AbortController().signal): Promise<unknown> =>
    handlers.bulkChunk(
      {
        id: 'job',
        env: 1,
        name: 'bulkChunk',
        payload: { bulk, chunk: 0 },
        requestId: null,
        fence: 1,
        startCount: 1,
        signal,
        span: null,
        inTurn: () => Promise.resolve(),
      },
      deps,
    );
  const jobsOf = (bulk: string): Promise<{ payload: unknown }[]> =>
    world.sql("select payload from staged_jobs where subject = $1 and name = 'bulkChunk'", [bulk]);
  /** A bulk on items of so many records whose runs are all made and wait for the app. */
  const waiting = async (count: number): Promise<string> => {
    const records = Array.from({ length: count }, () => {
      made += 1;
      return { id: `o${String(made)}`, title: 'Order' };
    });
    await world.records('order', records);
    const ids: string[] = [];
    for (const { id } of records) {
      const reply = await agent.post('/items', { inbox: 'mail', title: id, record: { resource: 'order', id } });
      ids.push(reply.body.item.id as string);
    }
    const { body, status, text } = await agent.post('/bulk', { ids, operation: { type: 'action', action: 'ship' } });
    expect(status, text).to.equal(202);
    const bulk = body.bulk.id as string;
    await work(bulk);
    await world.sql("delete from staged_jobs where subject = $1 and name = 'bulkChunk'", [bulk]);
    expect(await runsOf(bulk)).to.deep.equal({ queued: count });
    return bulk;
  };
  const runsOf = async (bulk: string): Promise<Record<string, number>> => {
    const rows = await world.sql<{ status: string; n: number }>(
      'select status, count(*)::int as n from runs where bulk = $1 group by status',
      [bulk],
    );
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  };
  const cancel = (bulk: string, headers: Record<string, string> = {}): Promise<Reply> =>
    agent.post(`/bulk/${bulk}/cancel`, undefined, { headers });
  const get = async (bulk: string): Promise<Reply['body']> => (await agent.get(`/bulk/${bulk}`)).body.bulk;

  it('stages the job that ends its runs with the answer, so that nothing more is asked of the call', async () => {
    const bulk = await waiting(3);
    const key = { 'idempotency-key': 'cancel once' };
    const reply = await cancel(bulk, key);
    expect(reply.status, reply.text).to.equal(200);
    expect(await runsOf(bulk), 'the call leaves them to the job').to.deep.equal({ queued: 3 });
    expect(await jobsOf(bulk)).to.deep.equal([{ payload: { bulk, chunk: 0 } }]);
    expect((await cancel(bulk, key)).text).to.equal(reply.text);
    expect(await jobsOf(bulk)).to.have.length(1);
    expect(await work(bulk)).to.include({ kind: 'done' });
    expect(await runsOf(bulk)).to.deep.equal({ cancelled: 3 });
    expect(await get(bulk)).to.include({ status: 'cancelled', done: 3, failed: 3 });
    const { results } = (await agent.get(`/bulk/${bulk}/results`)).body;
    expect(results.map(({ outcome }: { outcome: string }) => outcome)).to.deep.equal(Array(3).fill('cancelled'));
  });

  it('goes on where a killed process has stopped, and ends each run once', async () => {
    const bulk = await waiting(3);
    await cancel(bulk);
    const killed = new AbortController();
    const afterRun: Deps['afterRun'] = async (deps, run) => {
      await world.deps.afterRun(deps, run);
      killed.abort();
    };
    const failure = await work(bulk, { ...world.deps, afterRun }, killed.signal).catch((error: unknown) => error);
    expect(failure).to.have.property('name', 'AbortError');
    expect(await runsOf(bulk)).to.deep.equal({ cancelled: 1, queued: 2 });
    expect(await get(bulk)).to.include({ status: 'running', done: 1 });
    await Promise.all([work(bulk), work(bulk)]);
    expect(await runsOf(bulk)).to.deep.equal({ cancelled: 3 });
    expect(await get(bulk)).to.include({ status: 'cancelled', done: 3 });
    const ends = await world.sql(
      "select 1 from events e join runs r on e.target = r.id where r.bulk = $1 and e.verb = 'action.cancel'",
      [bulk],
    );
    expect(ends).to.have.length(3);
  });

  it('ends a hundred runs by one start of the job, and then lets others have their turn', async () => {
    const bulk = await waiting(101);
    await cancel(bulk);
    expect(await work(bulk)).to.include({ kind: 'again' });
    expect(await runsOf(bulk)).to.deep.equal({ cancelled: 100, queued: 1 });
    expect(await work(bulk)).to.include({ kind: 'done' });
    expect(await get(bulk)).to.include({ status: 'cancelled', done: 101 });
  });

  it('leaves a run alone that somebody has asked for once more', async () => {
    const bulk = await waiting(2);
    await world.sql('update runs set attempt = 2 where id = (select min(id) from runs where bulk = $1)', [bulk]);
    await cancel(bulk);
    expect(await work(bulk)).to.include({ kind: 'done' });
    expect(await runsOf(bulk)).to.deep.equal({ cancelled: 1, queued: 1 });
  });

  it('is seen to by the sweep where a chunk made runs while it was cancelled', async () => {
    const bulk = await waiting(2);
    await cancel(bulk);
    await world.sql("delete from staged_jobs where subject = $1 and name = 'bulkChunk'", [bulk]);
    await world.sql('update bulks set created_at = created_at - 60000 where id = $1', [bulk]);
    await orphanedBulks.run(world.deps);
    await orphanedBulks.run(world.deps);
    expect(await jobsOf(bulk)).to.deep.equal([{ payload: { bulk, chunk: 0 } }]);
    await work(bulk);
    expect(await get(bulk)).to.include({ status: 'cancelled', done: 2 });
    await world.sql("delete from staged_jobs where subject = $1 and name = 'bulkChunk'", [bulk]);
    await orphanedBulks.run(world.deps);
    expect(await jobsOf(bulk)).to.deep.equal([]);
  });
});
