/** Bulks of actions: one run for each record, and what each item gets of it. */
import { expect } from 'chai';
import { connectApp, rpcError, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [
    { name: 'order', source: 'stored', fields: [{ name: 'status', filter: true }] },
    { name: 'customer', source: 'stored' },
  ],
  inboxes: [{ name: 'mail' }, { name: 'secret' }],
  actions: [
    {
      name: 'refund',
      label: 'Refund',
      resource: 'order',
      when: { field: 'record.fields.status', op: 'eq', value: 'paid' },
    },
    { name: 'purge', resource: 'order', approval: true, danger: 'high' },
    { name: 'strict', resource: 'order', offline: 'refuse' },
  ],
} as const;

interface RunParams {
  readonly run: string;
  readonly record: { readonly id: string };
  readonly reason: string | null;
  readonly approvedBy: { readonly id: string } | null;
  readonly actor: { readonly id: string };
}

describe('http: bulks of actions', () => {
  let world: World;
  let agent: Client;
  let admin: Client;
  let key: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'resource:order', can: ['see'] },
      { on: 'resource:customer', can: ['see'] },
      { on: 'action:refund', can: ['run'] },
      { on: 'action:purge', can: ['run'] },
      { on: 'action:strict', can: ['run'] },
    ]);
    [agent, admin, key] = [await world.agent('clerk'), await world.agent('admin'), await world.appKey()];
    await world.records(
      'order',
      ['o1', 'o2', 'o3', 'o4'].map((id) => ({ id, title: id, fields: { status: id === 'o3' ? 'open' : 'paid' } })),
    );
    await world.records('customer', [{ id: 'c1', title: 'c1' }]);
  });
  after(() => world.close());

  const item = async (record: { resource: string; id: string } | null, inbox = 'mail'): Promise<string> =>
    (await admin.post('/items', { inbox, title: 'Please refund', ...(record === null ? {} : { record }) })).body.item
      .id;
  const order = (id: string): { resource: string; id: string } => ({ resource: 'order', id });
  const online = (run: (params: RunParams) => unknown): Promise<FakeApp> =>
    connectApp(key, { manifest, handlers: { 'action.run': run } });
  const offline = async (app: FakeApp): Promise<void> => {
    await app.close();
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
  };
  const bulkOf = async (id: string): Promise<Reply['body']> => (await agent.get(`/bulk/${id}`)).body.bulk;
  const finished = async (id: string): Promise<Reply['body']> => {
    await until('the bulk is finished', async () => ['done', 'cancelled'].includes((await bulkOf(id)).status), 20_000);
    return bulkOf(id);
  };
  const outcomes = async (id: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await agent.get(`/bulk/${id}/results`)).body.results.map(
        (result: { id: string; outcome: string; code: string | null }) => [
          result.id,
          result.code === null ? result.outcome : `${result.outcome} ${result.code}`,
        ],
      ),
    );

  it('runs once for each record, and gives all items of it the outcome, with the word that the run ended with as code, and a timeline entry', async () => {
    const calls: string[] = [];
    const app = await online(({ record }) => {
      calls.push(record.id);
      if (record.id === 'o2') throw rpcError(-32001, 'No money left.');
      return { message: 'Refunded.' };
    });
    const [a, b, c, d, e, f] = [
      await item(order('o1')),
      await item(order('o1')),
      await item(order('o2')),
      await item(order('o3')),
      await item(null),
      await item({ resource: 'customer', id: 'c1' }),
    ];
    const hidden = await item(order('o4'), 'secret');
    const reply = await agent.post('/bulk', {
      ids: [a, b, c, d, e, f, hidden, 'itm_none'],
      operation: { type: 'action', action: 'refund' },
    });
    expect(reply.status, reply.text).to.equal(202);
    const bulk = await finished(reply.body.bulk.id);
    expect(bulk).to.include({ status: 'done', total: 8, changed: 2, unchanged: 0, failed: 6 });
    expect(calls.sort()).to.deep.equal(['o1', 'o2']);
    const { history } = (await agent.get('/resources/order/o1')).body as { history: { type: string }[] };
    expect(
      history.map(({ type }) => type),
      'the run stands in the history of its record once',
    ).to.deep.equal(['action', 'created', 'created']);
    expect(await outcomes(bulk.id)).to.deep.equal({
      [a]: 'changed',
      [b]: 'changed',
      [c]: 'failed failed',
      [d]: 'failed conflict',
      [e]: 'failed invalid',
      [f]: 'failed invalid',
      [hidden]: 'not_found not_found',
      itm_none: 'not_found not_found',
    });
    for (const [id, status] of [
      [a, 'succeeded'],
      [b, 'succeeded'],
      [c, 'failed'],
    ] as const) {
      const entries = (await agent.get(`/items/${id}`)).body.timeline.filter(
        (entry: { type: string }) => entry.type === 'action',
      );
      expect(
        entries.map((entry: { data: { status: string } }) => entry.data.status),
        id,
      ).to.deep.equal([status]);
    }
    expect((await agent.post(`/bulk/${String(bulk.id)}/undo`)).status).to.equal(409);
    await offline(app);
  });

  it('says with dryRun what would happen, and runs nothing', async () => {
    const ids = [await item(order('o1')), await item(order('o3')), await item(null), 'itm_none'];
    const reply = await agent.post('/bulk', { ids, operation: { type: 'action', action: 'refund' }, dryRun: true });
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.body).to.deep.equal({
      bulk: null,
      would: 'run',
      pending: false,
      matched: 3,
      wouldChange: 1,
      unchanged: 0,
      forbidden: 0,
      notFound: 1,
      failed: 2,
      problems: [
        { code: 'conflict', message: 'Refund does not apply to this order now.', count: 1 },
        { code: 'not_found', message: 'There is nothing here that you can see.', count: 1 },
        { code: 'invalid', message: 'This item has no record of order.', count: 1 },
      ],
    });
  });

  it('waits for the app, and cancels what has not begun', async () => {
    const [a, b] = [await item(order('o1')), await item(order('o4'))];
    const reply = await agent.post('/bulk', { ids: [a, b], operation: { type: 'action', action: 'refund' } });
    await until(
      'both are queued',
      async () =>
        (await world.sql("select 1 from runs where bulk = $1 and status = 'queued'", [reply.body.bulk.id])).length ===
        2,
    );
    expect(await bulkOf(reply.body.bulk.id)).to.include({ status: 'running', done: 0 });
    expect((await agent.post(`/bulk/${String(reply.body.bulk.id)}/cancel`)).status).to.equal(200);
    const bulk = await finished(reply.body.bulk.id);
    expect(bulk).to.include({ status: 'cancelled', failed: 2 });
    expect(await outcomes(bulk.id)).to.deep.equal({ [a]: 'cancelled cancelled', [b]: 'cancelled cancelled' });
    const strict = await agent.post('/bulk', { ids: [a], operation: { type: 'action', action: 'strict' } });
    await finished(strict.body.bulk.id);
    expect(await outcomes(strict.body.bulk.id)).to.deep.equal({ [a]: 'failed app_offline' });
  });

  it('makes one approval for the whole of a bulk whose action needs approval', async () => {
    const ids = [await item(order('o1')), await item(order('o4'))];
    const reply = await agent.post('/bulk', {
      ids,
      operation: { type: 'action', action: 'purge', confirmed: true },
      reason: 'Closed down.',
    });
    expect(reply.status, reply.text).to.equal(202);
    expect(reply.body).to.have.all.keys('pending', 'approval', 'bulk');
    expect(reply.body.bulk).to.include({ status: 'pending', total: 2 });
    expect(await world.sql('select 1 from runs where bulk = $1', [reply.body.bulk.id])).to.deep.equal([]);
    const told: RunParams[] = [];
    const app = await online((params) => {
      told.push(params);
      return null;
    });
    const person = await world.person('admin');
    expect((await person.post(`/approvals/${String(reply.body.approval)}/approve`)).status).to.equal(200);
    await finished(reply.body.bulk.id);
    expect(told.map(({ reason, approvedBy, actor }) => [reason, approvedBy?.id, actor.id])).to.deep.equal([
      ['Closed down.', person.id, agent.id],
      ['Closed down.', person.id, agent.id],
    ]);
    const { runs } = (await admin.get('/runs')).body as {
      runs: { id: string; bulk: string | null; approvedBy: { id: string } | null }[];
    };
    const ofBulk = runs.filter(({ bulk }) => bulk === reply.body.bulk.id);
    expect(ofBulk.map(({ approvedBy }) => approvedBy?.id)).to.deep.equal([person.id, person.id]);
    const entries = await world.sql<{ id: string; at: number }>(
      `select distinct data #>> '{approvedBy,id}' as id, (data -> 'approvedAt')::bigint as at from events where type = 'action' and data ->> 'run' = any ($1)`,
      [ofBulk.map(({ id }) => id)],
    );
    const { requestedAt } = (await person.get(`/approvals/${String(reply.body.approval)}`)).body.approval;
    expect(entries.map(({ id }) => id)).to.deep.equal([person.id]);
    expect(entries[0]?.at).to.be.within(requestedAt, Date.now());
    await offline(app);
  });

  it('runs each record of a hundred once, in several chunks at a time', async () => {
    const calls = new Map<string, number>();
    const app = await online(({ record }) => {
      calls.set(record.id, (calls.get(record.id) ?? 0) + 1);
      return null;
    });
    await world.records(
      'order',
      Array.from({ length: 100 }, (_, n) => ({
        id: `m${String(n)}`,
        title: `m${String(n)}`,
        fields: { status: 'paid' },
      })),
    );
    const ids: string[] = [];
    for (let n = 0; n < 150; n++) ids.push(await item(order(`m${String(n % 100)}`)));
    const reply = await agent.post('/bulk', { ids, operation: { type: 'action', action: 'refund' } });
    const bulk = await finished(reply.body.bulk.id);
    expect(bulk).to.include({ status: 'done', total: 150, changed: 150, failed: 0 });
    expect(calls.size).to.equal(100);
    expect([...calls.values()].every((count) => count === 1)).to.equal(true);
    await offline(app);
  });
});
