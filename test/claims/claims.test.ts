/** Claims: `POST /items/claim`, `/items/:id/claim` and `/release`, what they refuse, show, count and send. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { openLive, type Recorder } from '../support/live.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  inboxes: [
    { name: 'desk', claims: 'enforce', reply: { via: 'app' } },
    { name: 'mail', unseen: 'allow' },
    { name: 'free', claims: 'off', unseen: 'allow' },
  ],
};
const minute = 60_000;

describe('claims', () => {
  let world: World;
  let one: Client;
  let two: Client;
  let person: Client;

  before(async () => {
    world = await newWorld({ manifest });
    one = await world.agent('operator', { name: 'One' });
    two = await world.agent('operator', { name: 'Two' });
    person = await world.person('operator', 'Ana Lind');
    await world.role('deskOnly', [{ on: 'inbox:desk', can: ['*'] }]);
    await world.role('noClaim', [{ on: 'inbox:*', can: ['state', 'note'] }]);
  });
  after(() => world.close());

  const make = async (more: object = {}): Promise<string> =>
    (await person.post('/items', { inbox: 'desk', title: 'Item', ...more })).body.item.id as string;
  const itemOf = async (id: string): Promise<Record<string, unknown>> => (await person.get(`/items/${id}`)).body.item;
  const codeOf = ({ status, body }: Reply): string => `${String(status)} ${String(body?.code)}`;
  const next = (client: Client, body: object = {}): Promise<Reply> => client.post('/items/claim', body);
  const idsOf = ({ body }: Reply): string[] => body.items.map(({ id }: { id: string }) => id);
  /** The holders that the stream told of an item's claims, in order. */
  const toldOf = ({ messages }: Recorder, id: string): (string | null)[] =>
    messages.filter(({ type, item }) => type === 'claim' && item === id).map(({ claim }) => claim?.by.name ?? null);
  const heldCount = async (): Promise<number> => {
    const [row] = await world.sql<{ n: number }>('select count(*)::int as n from items where claim is not null');
    return row?.n ?? 0;
  };
  const closeAll = async (): Promise<void> => {
    for (const { id } of (await person.get('/items?state=open,waiting&limit=200')).body.items)
      await person.post(`/items/${id}/state`, { state: 'closed' });
  };

  it('gives an item to one, and says so', async () => {
    const id = await make();
    const given = await one.post(`/items/${id}/claim`, { lease: minute });
    expect(given.status, given.text).to.equal(200);
    expect(given.body.changed).to.equal(true);
    expect(given.body.item).to.deep.include({ id, version: 1 });
    expect(given.body.item.claim.by).to.deep.equal({ type: 'agent', id: one.id, name: 'One' });
    expect((await itemOf(id)).claim).to.deep.equal(given.body.item.claim);
    const refused = await two.post(`/items/${id}/claim`);
    expect(codeOf(refused)).to.equal('409 claimed');
    expect(refused.body.claim).to.deep.equal(given.body.item.claim);
    expect(refused.body.details.map(({ path }: { path: string }) => path)).to.deep.equal(['claim.by', 'claim.until']);
    expect(codeOf(await person.post(`/items/${id}/claim`))).to.equal('409 claimed');
    expect(codeOf(await two.post(`/items/${id}/claim`, { takeOver: true }))).to.equal('403 person_required');
    const taken = await person.post(`/items/${id}/claim`, { takeOver: true });
    expect(taken.body.item.claim.by.name).to.equal('Ana Lind');
    const timeline = (await person.get(`/items/${id}`)).body.timeline;
    expect(timeline[0]).to.deep.include({
      type: 'claim_taken',
      data: { from: { type: 'agent', id: one.id, name: 'One' } },
    });
    expect((await itemOf(id)).version).to.equal(1);
    expect((await one.post(`/items/${id}/release`)).body.changed).to.equal(false);
    expect((await person.post(`/items/${id}/release`)).body).to.deep.include({ changed: true });
    expect((await itemOf(id)).claim).to.equal(null);
  });

  it('refuses changes without a claim where the inbox enforces, and warns where it advises', async () => {
    const id = await make();
    expect(codeOf(await one.post(`/items/${id}/state`, { state: 'waiting' }))).to.equal('409 claim_required');
    expect((await one.post(`/items/${id}/notes`, { text: 'Note' })).status).to.equal(201);
    expect((await one.post(`/items/${id}/tags`, { add: ['a'] })).status).to.equal(200);
    expect((await person.post(`/items/${id}/state`, { state: 'waiting' })).body).not.to.have.property('warnings');
    await one.post(`/items/${id}/claim`);
    expect(codeOf(await two.post(`/items/${id}/reply`, { text: 'Hello' }))).to.equal('409 claimed');
    expect((await one.post(`/items/${id}/state`, { state: 'open' })).status).to.equal(200);
    const bulk = await two.post('/bulk', { ids: [id], operation: { type: 'state', state: 'closed' } });
    expect(bulk.status, bulk.text).to.equal(202);
    await world.settled();
    const results = (await two.get(`/bulk/${bulk.body.bulk.id}/results`)).body.results;
    expect(results[0]).to.deep.include({ outcome: 'conflict' });
    const closed = await one.post(`/items/${id}/state`, { state: 'closed' });
    expect(closed.body.item.claim).to.equal(null);
    const advised = await make({ inbox: 'mail' });
    const warned = await one.post(`/items/${advised}/state`, { state: 'waiting' });
    expect(warned.body.warnings).to.have.length(1);
    expect(warned.body.warnings[0].code).to.equal('claim_required');
    await two.post(`/items/${advised}/claim`);
    expect((await one.call('PATCH', `/items/${advised}`, { state: 'open' })).body.warnings[0].code).to.equal('claimed');
    const off = await make({ inbox: 'free' });
    expect((await one.post(`/items/${off}/state`, { state: 'waiting' })).body).not.to.have.property('warnings');
  });

  it('lets a delegate alone work on an item', async () => {
    const id = await make();
    expect(codeOf(await person.post(`/items/${id}/assign`, {}))).to.equal('400 invalid');
    expect(codeOf(await person.post(`/items/${id}/assign`, { delegate: person.id }))).to.equal('400 invalid');
    const given = await person.post(`/items/${id}/assign`, { assignee: person.id, delegate: one.id });
    expect(given.body.item).to.deep.include({ assignee: person.id, delegate: one.id });
    expect((await person.get(`/items/${id}`)).body.timeline[0]).to.deep.include({
      type: 'delegated',
      data: { from: null, to: one.id },
    });
    expect(codeOf(await two.post(`/items/${id}/claim`))).to.equal('409 claimed');
    expect(codeOf(await two.post(`/items/${id}/state`, { state: 'waiting' }))).to.equal('409 claimed');
    expect(idsOf(await one.get('/items?delegate=me'))).to.deep.equal([id]);
    expect(idsOf(await two.get('/items?delegate=me'))).to.deep.equal([]);
    await one.post(`/items/${id}/claim`);
    expect((await one.post(`/items/${id}/state`, { state: 'waiting' })).status).to.equal(200);
    expect(idsOf(await one.get('/items?claimed=me'))).to.deep.equal([id]);
    expect(idsOf(await one.get(`/items?claimed=${one.id}`))).to.deep.equal([id]);
    expect(idsOf(await two.get('/items?claimed=me'))).not.to.include(id);
    expect(idsOf(await two.get('/items?claimed=none&limit=200'))).not.to.include(id);
    const undone = await person.call('PATCH', `/items/${id}`, { delegate: null });
    expect(undone.body.item.delegate).to.equal(null);
  });

  it('gives the next items in their order, each to one caller', async () => {
    await closeAll();
    const urgent = await make({ title: 'urgent' });
    await person.call('PATCH', `/items/${urgent}`, { priority: 'urgent' });
    const normal: string[] = [];
    for (let n = 0; n < 30; n++) normal.push(await make({ inbox: n % 2 === 0 ? 'desk' : 'mail' }));
    await person.post(`/items/${normal[1]}/snooze`, { until: Date.now() + 60 * minute });
    await person.post(`/items/${normal[2]}/assign`, { assignee: person.id });
    const first = await next(one);
    expect(idsOf(first), first.text).to.deep.equal([urgent]);
    expect(first.body.until).to.equal(first.body.items[0].claim.until);
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => next(n % 2 === 0 ? one : two)));
    const taken = all.flatMap(idsOf);
    expect(new Set(taken).size).to.equal(taken.length);
    expect(taken).to.have.length(20);
    expect(taken).to.have.members([normal[0], ...normal.slice(3, 22)]);
    const rest = idsOf(await next(two, { count: 20 }));
    expect(rest).to.deep.equal(normal.slice(22));
    expect((await next(two)).body).to.deep.equal({ items: [], until: null });
    expect(idsOf(await next(person))).to.deep.equal([normal[2]]);
    const counts = (await person.get('/counts')).body.inboxes;
    expect(counts.desk.total + counts.mail.total - counts.desk.unclaimed - counts.mail.unclaimed).to.equal(30);
  });

  it('takes filters and an order', async () => {
    await closeAll();
    const made: string[] = [];
    for (let n = 0; n < 8; n++) made.push(await make({ title: `T ${String(n)}`, tags: n % 2 === 0 ? ['even'] : [] }));
    expect(idsOf(await next(one, { query: { tags: ['even'] }, count: 2 }))).to.deep.equal([made[0], made[2]]);
    expect(idsOf(await next(one, { query: { inbox: 'desk' }, sort: '-title', count: 2 }))).to.deep.equal([
      made[7],
      made[6],
    ]);
    expect(idsOf(await next(one, { query: { search: 'T 5' } }))).to.deep.equal([made[5]]);
    expect(idsOf(await next(one, { query: { state: ['closed'] } }))).to.deep.equal([]);
    expect(codeOf(await next(one, { query: { inbox: 'nowhere' } }))).to.equal('404 not_found');
    expect(codeOf(await next(one, { lease: 1 }))).to.equal('400 invalid');
    expect(codeOf(await next(one, { count: 21 }))).to.equal('400 invalid');
  });

  it('answers a repeated call with the same items', async () => {
    await closeAll();
    await make();
    await make();
    const headers = { 'idempotency-key': 'claim-1' };
    const [a, b] = [
      await one.call('POST', '/items/claim', {}, { headers }),
      await one.call('POST', '/items/claim', {}, { headers }),
    ];
    expect(idsOf(a)).to.have.length(1);
    expect(b.text).to.equal(a.text);
    const nothing = { 'idempotency-key': 'claim-2' };
    await one.call('POST', '/items/claim', { count: 20 });
    expect((await one.call('POST', '/items/claim', {}, { headers: nothing })).body.items).to.deep.equal([]);
  });

  it('is for those who may, on what they see', async () => {
    const id = await make({ inbox: 'mail' });
    const desk = await world.agent('deskOnly');
    const without = await world.agent('noClaim');
    const reader = await world.agent('operator', { mode: 'readonly' });
    const supervised = await world.agent('operator', { mode: 'supervised' });
    expect(codeOf(await desk.post(`/items/${id}/claim`))).to.equal('404 not_found');
    expect((await desk.post(`/items/${id}/claim`)).text).to.equal(
      (await desk.post('/items/itm_01jd0000000000000000000000/claim')).text,
    );
    for (const client of [without, reader]) {
      expect(codeOf(await client.post(`/items/${id}/claim`))).to.equal('403 forbidden');
      expect(codeOf(await next(client))).to.equal('403 forbidden');
      expect(codeOf(await client.post(`/items/${id}/release`))).to.equal('403 forbidden');
    }
    expect((await supervised.post(`/items/${id}/claim`)).status).to.equal(200);
    expect((await supervised.post(`/items/${id}/release`)).status).to.equal(200);
    expect(codeOf(await one.post(`/items/${id}/claim`, { lease: 5 }))).to.equal('400 invalid');
    const closed = await make();
    await person.post(`/items/${closed}/state`, { state: 'closed' });
    expect(codeOf(await one.post(`/items/${closed}/state`, { state: 'open' }))).to.equal('409 claim_required');
    await one.post(`/items/${closed}/claim`);
    const reopened = await one.post(`/items/${closed}/state`, { state: 'open' });
    expect(reopened.body.item.claim.by.name).to.equal('One');
  });

  it('ends with its holder, and with their sight of the item', async () => {
    const live = await openLive(person);
    const id = await make();
    const gone = await world.agent('operator', { name: 'Gone' });
    await gone.post(`/items/${id}/claim`);
    const delegated = await make();
    await person.post(`/items/${delegated}/assign`, { delegate: gone.id });
    const boss = await world.person('admin', 'Boss', { fresh: true });
    expect((await boss.call('DELETE', `/settings/agents/${gone.id}`)).status).to.be.below(300);
    await live.next('the end', ({ type, item, claim }) => type === 'claim' && item === id && claim === null);
    expect((await itemOf(id))['claim']).to.equal(null);
    await live.next(
      'the delegate',
      ({ type, item }) => type === 'item' && item.id === delegated && item.delegate === null,
    );
    await live.close();
  });

  it('sends claims on the stream, and none of one that lapses', async () => {
    const live = await openLive(one);
    const id = await make();
    await one.post(`/items/${id}/claim`, { lease: 10_000 });
    await one.post(`/items/${id}/claim`, { lease: minute });
    await one.post(`/items/${id}/release`);
    await live.next('release', ({ type, item, claim }) => type === 'claim' && item === id && claim === null);
    expect(toldOf(live, id)).to.deep.equal(['One', 'One', null]);
    await one.post(`/items/${id}/claim`, { lease: 10_000 });
    expect(await heldCount()).to.be.above(0);
    world.clock.advance(3_700_000);
    await until('the lapse', async () => (await heldCount()) === 0);
    await two.post(`/items/${id}/claim`);
    await live.next(
      'claim by Two',
      ({ type, item, claim }) => type === 'claim' && item === id && claim?.by.name === 'Two',
    );
    expect(toldOf(live, id)).to.deep.equal(['One', 'One', null, 'One', 'Two']);
    await live.close();
  });
});
