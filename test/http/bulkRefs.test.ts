/** Bulks over records: one run for each, whose outcome its reference gets. */
import { expect } from 'chai';
import { rpcError, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { callTool } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: testManifest.resources,
  inboxes: [{ name: 'mail' }],
  actions: [
    { name: 'greet', resource: 'customer', input: { type: 'object', properties: { words: { type: 'string' } } } },
    { name: 'charge', resource: 'customer', approval: true },
    { name: 'unlock', resource: 'vault' },
    { name: 'reindex' },
  ],
};

interface Result {
  readonly ref: { readonly resource: string; readonly id: string };
  readonly outcome: string;
  readonly code: string | null;
}

describe('bulks over records', () => {
  let world: World;
  let app: FakeApp;
  let admin: Client;
  let agent: Client;
  let person: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('greeter', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'resource:customer', can: ['see'] },
      { on: 'action:greet', can: ['run'] },
      { on: 'action:charge', can: ['run'] },
    ]);
    admin = await world.agent('admin');
    agent = await world.agent('greeter');
    person = await world.person('admin');
    await world.records(
      'customer',
      Array.from({ length: 30 }, (_, n) => ({ id: `c${String(n)}`, title: `Customer ${String(n)}` })),
    );
    await world.records('vault', [{ id: 'v1', title: 'Gold' }]);
    app = await world.app({
      'action.run': ({ record }: { record: { id: string } }) => {
        if (record.id === 'c2') throw rpcError(-32001, 'Not this one.');
        return { message: 'Done.', blocks: [] };
      },
    });
  });
  after(() => world.close());

  const refsOf = (...ids: string[]) => ids.map((id) => ({ resource: 'customer', id }));
  const greet = (words: string) => ({ type: 'action', action: 'greet', input: { words } });
  const bulkOf = (reply: Reply): string => {
    expect(reply.status, reply.text).to.equal(202);
    return reply.body.bulk.id as string;
  };
  const ended = async (id: string, client = agent): Promise<Record<string, unknown>> =>
    (await client.get(`/bulk/${id}?wait=30000`)).body.bulk as Record<string, unknown>;
  const results = async (id: string, client = agent): Promise<Result[]> => {
    const { status, text, body } = await client.get(`/bulk/${id}/results?limit=200`);
    expect(status, text).to.equal(200);
    return (body as { results: Result[] }).results;
  };
  const ran = (): string[] =>
    app.received.flatMap(({ method, params }) => (method === 'action.run' ? String(params.record.id) : []));

  it('run the action once on each, and tell hidden and unknown ones alike', async () => {
    const ids = ['c1', 'c2', 'nobody', 'c3', 'c1'];
    const id = bulkOf(await agent.post('/bulk', { refs: refsOf(...ids), operation: greet('one by one') }));
    expect(await ended(id)).to.include({ status: 'done', total: 4, changed: 2, failed: 2 });
    expect((await results(id)).map(({ ref, outcome, code }) => [ref, outcome, code])).to.deep.equal([
      [{ resource: 'customer', id: 'c1' }, 'changed', null],
      [{ resource: 'customer', id: 'c2' }, 'failed', 'failed'],
      [{ resource: 'customer', id: 'nobody' }, 'not_found', 'not_found'],
      [{ resource: 'customer', id: 'c3' }, 'changed', null],
    ]);
    expect(ran().sort()).to.deep.equal(['c1', 'c2', 'c3']);
    const { runs } = (await agent.get('/runs?action=greet')).body as { runs: { bulk: string; item: unknown }[] };
    expect(runs.filter(({ bulk }) => bulk === id)).to.have.length(3);
    expect((await agent.get('/resources/customer/c1')).body.history[0].type).to.equal('action');
    expect((await agent.post(`/bulk/${id}/undo`)).status, 'no action is undone here').to.equal(409);
    expect((await results(id, person)).map(({ outcome }) => outcome)).to.have.length(4);
  });

  it('try it out, under the same rights', async () => {
    const before = ran().length;
    const { status, body, text } = await agent.post('/bulk', {
      refs: refsOf('c1', 'nobody', 'c4'),
      operation: greet('dry'),
      dryRun: true,
    });
    expect(status, text).to.equal(200);
    expect(body).to.include({ matched: 2, wouldChange: 2, notFound: 1, would: 'run' });
    expect(ran()).to.have.length(before);
  });

  it('are refused by one rule each, and a hidden action and resource like those that are not there', async () => {
    const refs = refsOf('c1');
    const cases: readonly (readonly [object, number, string])[] = [
      [{ refs, ids: ['itm_x'], operation: greet('x') }, 400, 'refs'],
      [{ refs, query: {}, operation: greet('x') }, 400, 'refs'],
      [{ refs, expect: 1, operation: greet('x') }, 400, 'expect'],
      [{ refs: [], operation: greet('x') }, 400, 'refs'],
      [{ refs: [{ resource: 'customer' }], operation: greet('x') }, 400, 'refs.0.id'],
      [{ refs, operation: { type: 'state', state: 'closed' } }, 400, 'refs'],
      [{ refs, operation: { ...greet('x'), records: 'customer' } }, 400, 'operation.records'],
      [{ refs: [...refs, { resource: 'vault', id: 'v1' }], operation: greet('x') }, 400, 'refs.1.resource'],
      [{ refs: Array.from({ length: 10_001 }, () => refs[0]), operation: greet('x') }, 400, 'refs'],
    ];
    for (const [body, status, path] of cases) {
      const reply = await agent.post('/bulk', body);
      expect([reply.status, reply.body.details?.[0]?.path], reply.text).to.deep.equal([status, path]);
    }
    const [hidden, none] = await Promise.all(
      ['vault', 'nothing'].map((resource) =>
        agent.post('/bulk', { refs: [{ resource, id: 'v1' }], operation: greet('x') }),
      ),
    );
    expect(hidden?.text).to.equal(none?.text);
    const [secret, unknown] = await Promise.all(
      ['unlock', 'nosuch'].map((action) =>
        agent.post('/bulk', { refs, operation: { type: 'action', action, input: {} } }),
      ),
    );
    expect([secret?.status, secret?.body.code]).to.deep.equal([unknown?.status, unknown?.body.code]);
  });

  it('wait for one approval, which names the first records, and run once it is given', async () => {
    const before = ran().length;
    const asked = await agent.post('/bulk', {
      refs: refsOf(...Array.from({ length: 12 }, (_, n) => `c${String(n + 10)}`)),
      operation: { type: 'action', action: 'charge', input: {} },
    });
    expect([asked.status, asked.body.pending], asked.text).to.deep.equal([202, true]);
    const { approval } = (await person.get(`/approvals/${String(asked.body.approval)}`)).body;
    const first = Array.from({ length: 10 }, (_, n) => String(n + 10));
    expect(approval.now.refs).to.deep.equal(
      first.map((n) => ({ resource: 'customer', id: `c${n}`, title: `Customer ${n}` })),
    );
    expect(approval.now.more).to.equal(2);
    expect(approval.after).to.include({ wouldChange: 12 });
    const approved = await person.post(`/approvals/${String(approval.id)}/approve`, {});
    expect(approved.status, approved.text).to.equal(200);
    expect(await ended(String(asked.body.bulk.id))).to.include({ status: 'done', changed: 12 });
    expect(ran()).to.have.length(before + 12);
  });

  it('answer a repeat under a key with the same bulk, and run nothing twice', async () => {
    const before = ran().length;
    const body = { refs: refsOf('c5', 'c6'), operation: greet('keyed') };
    const replies = await Promise.all(
      [1, 2, 3].map(() => agent.post('/bulk', body, { headers: { 'idempotency-key': 'over records' } })),
    );
    expect(new Set(replies.map(({ text }) => text)).size).to.equal(1);
    await ended(bulkOf(replies[0] as Reply));
    expect(ran()).to.have.length(before + 2);
  });

  it('are a tool’s too, with records as models write them, and refused there when they repeat', async () => {
    const given = { refs: ['customer:c7', { resource: 'customer', id: 'c8' }], operation: greet('by a tool') };
    const done = await callTool(agent, 'bulk_items', given);
    expect(done.status, JSON.stringify(done.body)).to.equal(200);
    const { id } = done.body.bulk as { id: string };
    await ended(id);
    const shown = (await callTool(agent, 'get_bulk_results', { id })).body.results as Result[];
    expect(shown.map(({ ref }) => ref.id)).to.deep.equal(['c7', 'c8']);
    const again = await callTool(agent, 'bulk_items', { ...given, refs: ['customer:c8'] });
    expect([again.status, again.body.code]).to.deep.equal([409, 'conflict']);
  });

  it('end at once where they are cancelled, with an outcome for each record', async () => {
    await app.close();
    const id = bulkOf(await admin.post('/bulk', { refs: refsOf('c20', 'c21'), operation: greet('offline') }));
    await until('they wait for the app', async () => (await admin.get('/runs?status=queued')).body.runs.length === 2);
    expect((await admin.post(`/bulk/${id}/cancel`)).status).to.equal(200);
    expect((await ended(id, admin))['status']).to.equal('cancelled');
    expect((await results(id, admin)).map(({ outcome }) => outcome)).to.deep.equal(['cancelled', 'cancelled']);
  });
});
