/** The specification of states: states, snoozing and triage, each filterable by itself. */
import { expect } from 'chai';
import type { Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { codeOf, idsOf, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: states and transitions', () => {
  let shop: ShopWorld;
  before(async () => {
    shop = await newShopWorld();
  });
  after(() => shop.close());

  const read = async (id: string): Promise<Reply['body']> => ok(await shop.agent.get(`/items/${id}`)).item;
  const listed = async (query: string): Promise<string[]> => idsOf(ok(await shop.agent.get(`/items${query}`)).items);

  it('the state is set with POST /items/:id/state', async () => {
    const id = await shop.item();
    ok(await shop.agent.post(`/items/${id}/state`, { state: 'waiting' }));
    expect((await read(id)).state).to.equal('waiting');
  });

  it('the state is set by the bulk state operation', async () => {
    const id = await shop.item();
    ok(await shop.agent.post('/bulk', { ids: [id], operation: { type: 'state', state: 'waiting' } }), 202);
    await until('the bulk has set it', async () => (await read(id)).state === 'waiting');
  });

  it('the state is filtered with the state query parameter', async () => {
    const [open, closed] = [await shop.item({ inbox: 'slow' }), await shop.item({ inbox: 'slow' })];
    ok(await shop.agent.post(`/items/${closed}/state`, { state: 'closed' }));
    expect(await listed('?inbox=slow&state=open')).to.deep.equal([open]);
    expect(await listed('?inbox=slow&state=closed')).to.deep.equal([closed]);
  });

  it('the allowed states of an inbox are told, and no other is taken', async () => {
    const { inboxes } = ok(await shop.agent.get('/inboxes'));
    expect(
      inboxes.find(({ name }: { name: string }) => name === 'bugs').states.map(({ name }: { name: string }) => name),
    ).to.deep.equal(['open', 'waiting', 'closed']);
    expect(codeOf(await shop.agent.post(`/items/${await shop.item()}/state`, { state: 'nosuch' }))).to.equal(
      '400 invalid',
    );
  });

  it('an item can be snoozed until a timestamp, which null clears', async () => {
    const id = await shop.item();
    const at = Date.now() + 3_600_000;
    ok(await shop.agent.post(`/items/${id}/snooze`, { until: at }));
    expect((await read(id)).snoozedUntil).to.equal(at);
    ok(await shop.agent.post(`/items/${id}/snooze`, { until: null }));
    expect((await read(id)).snoozedUntil).to.equal(null);
  });

  it('an item can be marked as triaged by triage', async () => {
    const id = await shop.item();
    ok(await shop.agent.post(`/items/${id}/triage`, { answers: { duplicate: 'yes' }, close: true }));
    expect((await read(id)).triaged).to.equal(true);
  });

  it('snoozed and triaged are filterable independently of state', async () => {
    const [snoozed, triaged, plain] = [
      await shop.item({ inbox: 'mail' }),
      await shop.item({ inbox: 'mail' }),
      await shop.item({ inbox: 'mail' }),
    ];
    ok(await shop.agent.post(`/items/${snoozed}/snooze`, { until: Date.now() + 3_600_000 }));
    ok(await shop.agent.post(`/items/${triaged}/triage`, { answers: {}, close: true }));
    ok(await shop.agent.post(`/items/${plain}/state`, { state: 'closed' }));
    expect(await listed('?inbox=mail&snoozed=1')).to.deep.equal([snoozed]);
    expect(await listed('?inbox=mail&triaged=1')).to.deep.equal([triaged]);
    expect(await listed('?inbox=mail&state=open&snoozed=1')).to.deep.equal([snoozed]);
    expect(await listed('?inbox=mail&state=closed&triaged=0')).to.deep.equal([plain]);
  });

  it('the transitions of an inbox are told: absent, any state may follow any other', async () => {
    const { inboxes } = ok(await shop.agent.get('/inboxes'));
    expect(inboxes.find(({ name }: { name: string }) => name === 'bugs').transitions).to.equal(null);
    const id = await shop.item();
    for (const state of ['closed', 'waiting', 'open', 'closed', 'open', 'waiting'])
      expect(ok(await shop.agent.post(`/items/${id}/state`, { state })).item.state).to.equal(state);
  });
});
