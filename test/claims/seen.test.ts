/** The token `seen` of an item's detail: refusals, warnings and `knew`. Also replies on their way, bulks, and actions that name an item. */
import { expect } from 'chai';
import type { FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  inboxes: [
    { name: 'strict', claims: 'enforce', unseen: 'refuse', reply: { via: 'app' }, onOccurrence: { keep: 3 } },
    { name: 'mail', reply: { via: 'app' } },
    { name: 'open', claims: 'off', unseen: 'allow', reply: { via: 'app' } },
  ],
  resources: [{ name: 'customer', source: 'stored' }],
  actions: [
    { name: 'credit', label: 'Credit', input: { type: 'object' } },
    { name: 'refund', label: 'Refund', resource: 'customer', input: { type: 'object' } },
  ],
};

describe('what the author of a change had read', () => {
  let world: World;
  let one: Client;
  let two: Client;
  let person: Client;
  let app: FakeApp;

  before(async () => {
    world = await newWorld({ manifest });
    one = await world.agent('operator', { name: 'One' });
    two = await world.agent('operator', { name: 'Two' });
    person = await world.person('operator', 'Ana Lind');
    app = await world.app({ 'action.run': () => ({ message: 'Done' }) });
  });
  after(() => world.close());

  const make = async (inbox: string, more: object = {}): Promise<string> =>
    (await person.post('/items', { inbox, title: 'Item', ...more })).body.item.id as string;
  const codeOf = ({ status, body }: Reply): string => `${String(status)} ${String(body?.code)}`;
  const seenOf = async (client: Client, id: string): Promise<string> => (await client.get(`/items/${id}`)).body.seen;
  const knewOf = async (id: string): Promise<unknown> => (await person.get(`/items/${id}`)).body.timeline[0].data.knew;
  const warningsOf = ({ body }: Reply): string[] => (body.warnings ?? []).map(({ code }: { code: string }) => code);

  it('refuses an agent that has not read the last of it, where the inbox does', async () => {
    const id = await make('strict', { key: 'k1' });
    await one.post(`/items/${id}/claim`);
    const blind = await one.post(`/items/${id}/state`, { state: 'waiting' });
    expect(codeOf(blind)).to.equal('409 unseen');
    const seen = await seenOf(one, id);
    await person.post(`/items/${id}/notes`, { text: 'Wait' });
    const missed = await one.post(`/items/${id}/reply`, { text: 'Hello', seen });
    expect(codeOf(missed)).to.equal('409 unseen');
    expect(missed.body.details).to.have.length(1);
    expect(missed.body.details[0].message).to.match(/^note by Ana Lind at /);
    const again = await seenOf(one, id);
    await one.post(`/items/${id}/notes`, { text: 'Mine' });
    await person.post('/items', { inbox: 'strict', title: 'Item', key: 'k1' });
    expect(codeOf(await one.call('PATCH', `/items/${id}`, { state: 'waiting', seen: again }))).to.equal('409 unseen');
    expect((await one.call('PATCH', `/items/${id}`, { tags: { add: ['a'] } })).status).to.equal(200);
    const fresh = await seenOf(one, id);
    const done = await one.post(`/items/${id}/state`, { state: 'waiting', seen: fresh });
    expect(done.status, done.text).to.equal(200);
    expect(await knewOf(id)).to.include({ missed: 0 });
    expect((await person.post(`/items/${id}/state`, { state: 'open' })).status).to.equal(200);
    expect(codeOf(await one.post('/actions', { action: 'credit', item: id, seen: fresh }))).to.equal('409 unseen');
    const ran = await one.post('/actions', { action: 'credit', item: id, seen: await seenOf(one, id) });
    expect(ran.status, ran.text).to.equal(200);
    expect(await knewOf(id)).to.include({ missed: 0 });
  });

  it('warns elsewhere, and writes down what was missed', async () => {
    const id = await make('mail');
    expect(warningsOf(await one.post(`/items/${id}/state`, { state: 'waiting' }))).to.deep.equal([
      'claim_required',
      'unseen',
    ]);
    await one.post(`/items/${id}/claim`);
    const seen = await seenOf(one, id);
    await person.post(`/items/${id}/notes`, { text: 'Wait' });
    await person.post(`/items/${id}/notes`, { text: 'Stop' });
    const late = await one.post(`/items/${id}/state`, { state: 'open', seen });
    expect(warningsOf(late)).to.deep.equal(['unseen']);
    expect(await knewOf(id)).to.include({ missed: 2 });
    const ran = await one.post('/actions', { action: 'credit', item: id, seen });
    expect(warningsOf(ran)).to.deep.equal(['unseen']);
    const free = await make('open');
    expect(warningsOf(await one.post(`/items/${free}/state`, { state: 'waiting' }))).to.deep.equal([]);
    expect(warningsOf(await person.post(`/items/${id}/state`, { state: 'waiting' }))).to.deep.equal([]);
  });

  it('takes a token only of its item and its reader', async () => {
    const [id, other] = [await make('mail'), await make('mail')];
    const seen = await seenOf(one, id);
    for (const [client, item, token] of [
      [two, id, seen],
      [one, other, seen],
      [one, id, 'x'],
      [one, id, `${seen}A`],
    ] as const) {
      const refused = await client.post(`/items/${item}/state`, { state: 'waiting', seen: token });
      expect(codeOf(refused)).to.equal('400 invalid');
      expect(refused.body.details[0].path).to.equal('seen');
    }
    expect(codeOf(await one.post(`/items/${id}/tags`, { add: ['a'], seen }))).to.equal('400 invalid');
  });

  it('runs an action on an item only for the agent that works on it', async () => {
    const id = await make('strict');
    expect(codeOf(await one.post('/actions', { action: 'credit', item: id }))).to.equal('409 claim_required');
    await one.post(`/items/${id}/claim`);
    expect(codeOf(await two.post('/actions', { action: 'credit', item: id }))).to.equal('409 claimed');
    expect((await person.post('/actions', { action: 'credit', item: id })).status).to.equal(200);
    expect((await two.post('/actions', { action: 'credit' })).status).to.equal(200);
  });

  it('binds bulks of states and of actions, and dry runs', async () => {
    await world.records('customer', [{ id: 'c1', title: 'One' }]);
    const id = await make('strict', { record: { resource: 'customer', id: 'c1' } });
    const outcomeOf = async (client: Client, operation: object): Promise<string> => {
      const { body, status, text } = await client.post('/bulk', { ids: [id], operation });
      expect(status, text).to.equal(202);
      await world.settled();
      return (await client.get(`/bulk/${String(body.bulk.id)}/results`)).body.results[0].outcome;
    };
    const refund = { type: 'action', action: 'refund', input: {} };
    expect(await outcomeOf(two, refund), 'without a claim').to.equal('conflict');
    await one.post(`/items/${id}/claim`);
    expect(await outcomeOf(two, refund), 'over another’s').to.equal('conflict');
    expect(await outcomeOf(one, refund), 'unread').to.equal('conflict');
    expect(await outcomeOf(one, { type: 'state', state: 'closed' }), 'unread').to.equal('conflict');
    expect(await outcomeOf(one, { type: 'tags', add: ['a'], remove: [] })).to.equal('changed');
    expect(await outcomeOf(person, { type: 'state', state: 'closed' })).to.equal('changed');
    const other = await make('strict');
    await one.post(`/items/${other}/claim`);
    const tried = await one.post(`/items/${other}/reply`, { text: 'Hello', dryRun: true });
    expect(codeOf(tried)).to.equal('409 unseen');
  });

  it('makes a request of a supervised agent stale once another agent has claimed the item', async () => {
    const id = await make('mail');
    const supervised = await world.agent('operator', { mode: 'supervised' });
    const boss = await world.person('admin', 'Boss', { fresh: true });
    const asked = await supervised.post(`/items/${id}/state`, { state: 'waiting' });
    expect(asked.status, asked.text).to.equal(202);
    await two.post(`/items/${id}/claim`);
    expect(codeOf(await boss.post(`/approvals/${String(asked.body.approval)}/approve`, {}))).to.equal('409 stale');
  });

  it('lets no other agent reply while a reply is on its way', async () => {
    const id = await make('open');
    await app.close();
    expect((await one.post(`/items/${id}/reply`, { text: 'First' })).status).to.equal(202);
    const second = await two.post(`/items/${id}/reply`, { text: 'Second' });
    expect(codeOf(second)).to.equal('409 conflict');
    expect((await one.post(`/items/${id}/reply`, { text: 'More' })).status).to.equal(202);
    expect((await person.post(`/items/${id}/reply`, { text: 'Mine' })).status).to.equal(202);
  });
});
