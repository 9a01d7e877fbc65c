/** A bulk of actions whose agent becomes supervised while it runs: it goes on only if a person has approved it. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { handlers } from '../support/jobHandlers.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [{ name: 'order', source: 'stored' }],
  inboxes: [{ name: 'mail' }, { name: 'secret' }],
  actions: [
    { name: 'ship', label: 'Ship', resource: 'order' },
    { name: 'purge', label: 'Purge', resource: 'order', approval: true },
  ],
} as const;

describe('bulkChunk of actions', () => {
  let world: World;
  let admin: Client;

  before(async () => {
    world = await newWorld({ manifest, workers: false });
    await world.role('clerk', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'resource:order', can: ['see'] },
      { on: 'action:*', can: ['run'] },
    ]);
    admin = await world.agent('admin');
    await world.records('order', [{ id: 'o1', title: 'Order' }]);
  });
  after(() => world.close());

  const item = async (inbox: string): Promise<string> =>
    (await admin.post('/items', { inbox, title: inbox, record: { resource: 'order', id: 'o1' } })).body.item.id;
  const work = (bulk: string): Promise<unknown> =>
    handlers.bulkChunk(
      {
        id: 'job',
        env: 1,
        name: 'bulkChunk',
        payload: { bulk, chunk: 0 },
        requestId: null,
        fence: 1,
        startCount: 1,
        signal: new AbortController().signal,
        span: null,
        inTurn: () => Promise.resolve(),
      },
      world.deps,
    );
  const supervise = async ({ id }: Client): Promise<void> => {
    await world.sql("update agents set mode = 'supervised' where id = $1", [id]);
    await world.sql('update revisions set n = n + 1');
  };
  const runsOf = (bulk: string): Promise<object[]> => world.sql('select 1 from runs where bulk = $1', [bulk]);

  it('makes no runs of an agent that has become supervised since, and says so of each item that it sees', async () => {
    const agent = await world.agent('clerk');
    const ids = [await item('mail'), await item('secret'), await item('mail')];
    const { body } = await agent.post('/bulk', { ids, operation: { type: 'action', action: 'ship' } });
    const bulk = body.bulk.id as string;
    await supervise(agent);
    await work(bulk);
    expect(await runsOf(bulk)).to.deep.equal([]);
    const { results } = (await agent.get(`/bulk/${bulk}/results`)).body;
    expect(results.map(({ outcome }: { outcome: string }) => outcome)).to.deep.equal([
      'forbidden',
      'not_found',
      'forbidden',
    ]);
    expect((await agent.get(`/bulk/${bulk}`)).body.bulk).to.include({ status: 'done', changed: 0, failed: 3 });
  });

  it('goes on for such an agent with what a person has approved', async () => {
    const agent = await world.agent('clerk');
    const person = await world.person('admin');
    const { body } = await agent.post('/bulk', {
      ids: [await item('mail')],
      operation: { type: 'action', action: 'purge' },
    });
    expect((await person.post(`/approvals/${String(body.approval)}/approve`)).status).to.equal(200);
    await supervise(agent);
    await work(body.bulk.id as string);
    expect(await runsOf(body.bulk.id as string)).to.have.length(1);
  });
});
