/** The specification of changing one item: each request body and its effect. */
import { expect } from 'chai';
import type { Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { codeOf, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: changing one item', () => {
  let shop: ShopWorld;
  let id = '';
  before(async () => {
    shop = await newShopWorld();
  });
  beforeEach(async () => {
    id = await shop.item({ tags: ['old', 'kept'] });
  });
  after(() => shop.close());

  const read = async (which = id): Promise<Reply['body']> => ok(await shop.agent.get(`/items/${which}`));
  const change = (name: string, body: object, which = id): Promise<Reply> =>
    shop.agent.post(`/items/${which}/${name}`, body);

  it('POST /items/:id/state { state } sets the state', async () => {
    ok(await change('state', { state: 'closed' }));
    expect((await read()).item.state).to.equal('closed');
    expect(codeOf(await change('state', { state: 1 }))).to.equal('400 invalid');
  });

  it('POST /items/:id/assign { assignee } assigns to the person with that id', async () => {
    ok(await change('assign', { assignee: shop.ana.id }));
    expect((await read()).item.assignee).to.equal(shop.ana.id);
  });

  it('POST /items/:id/assign { assignee: null } unassigns', async () => {
    ok(await change('assign', { assignee: shop.ana.id }));
    ok(await change('assign', { assignee: null }));
    expect((await read()).item.assignee).to.equal(null);
  });

  it('POST /items/:id/tags { add, remove } adds and removes tags', async () => {
    ok(await change('tags', { add: ['new', 'newer'], remove: ['old'] }));
    expect((await read()).item.tags).to.deep.equal(['kept', 'new', 'newer']);
  });

  it('POST /items/:id/snooze { until } snoozes until the time in milliseconds', async () => {
    const at = Date.now() + 500;
    ok(await change('snooze', { until: at }));
    expect((await read()).item.snoozedUntil).to.equal(at);
    await until('it wakes at its time', async () => (await read()).item.snoozedUntil === null);
    expect(Date.now()).to.be.at.least(at);
  });

  it('POST /items/:id/snooze { until: null } wakes the item', async () => {
    ok(await change('snooze', { until: Date.now() + 60_000 }));
    ok(await change('snooze', { until: null }));
    expect((await read()).item.snoozedUntil).to.equal(null);
  });

  it('POST /items/:id/notes { text } adds a note to the item', async () => {
    ok(await change('notes', { text: 'Called her back.' }), 201);
    expect((await read()).timeline[0]).to.deep.include({ type: 'note', data: { text: 'Called her back.' } });
  });

  it('POST /items/:id/reply { subject, text } sends a reply on the item', async () => {
    const app = await shop.app();
    const mail = await shop.item({ inbox: 'mail' });
    ok(await change('reply', { subject: 'Your order', text: 'It is on its way.' }, mail), 202);
    await until('the reply is sent', async () =>
      (await read(mail)).timeline.some(
        (entry: Reply['body']) => entry.type === 'reply' && entry.data.status === 'sent',
      ),
    );
    expect(app.received.find(({ method }) => method === 'reply.send')?.params).to.include({
      subject: 'Your order',
      text: 'It is on its way.',
    });
  });

  it('POST /items { inbox, title, data } creates an item in the inbox, data being an object', async () => {
    const { item } = ok(await shop.agent.post('/items', { inbox: 'mail', title: 'New', data: { plan: 'team' } }), 201);
    expect((await read(item.id)).item).to.deep.include({ inbox: 'mail', title: 'New', fields: { plan: 'team' } });
    expect(codeOf(await shop.agent.post('/items', { inbox: 'mail', title: 'New', data: 'text' }))).to.equal(
      '400 invalid',
    );
  });

  it('a change of one item answers the item as it is now, and whether it changed', async () => {
    const changed = ok(await change('state', { state: 'waiting' }));
    expect([changed.item.state, changed.changed]).to.deep.equal(['waiting', true]);
    expect(ok(await change('state', { state: 'waiting' })).changed).to.equal(false);
  });
});
