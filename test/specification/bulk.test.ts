/** The specification of POST /bulk: the body, and each type of operation. */
import { expect } from 'chai';
import type { Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { codeOf, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: bulk', () => {
  let shop: ShopWorld;
  let ids: string[];
  before(async () => {
    shop = await newShopWorld();
  });
  beforeEach(async () => {
    ids = [await shop.item({ tags: ['old'] }), await shop.item({ tags: ['old'] })];
  });
  after(() => shop.close());

  const post = (operation: object, which = ids): Promise<Reply> => shop.agent.post('/bulk', { ids: which, operation });
  const done = async (operation: object, which = ids): Promise<Reply['body']> => {
    const { bulk } = ok(await post(operation, which), 202);
    return until('the bulk is done', async () => {
      const now = ok(await shop.agent.get(`/bulk/${String(bulk.id)}`)).bulk;
      return now.status === 'done' ? now : null;
    });
  };
  const each = async (field: string): Promise<unknown[]> =>
    Promise.all(ids.map(async (id) => ok(await shop.agent.get(`/items/${id}`)).item[field]));

  it('POST /bulk takes { ids, operation: { type, … } } and changes each of the items', async () => {
    expect(await done({ type: 'state', state: 'closed' })).to.include({ total: 2, changed: 2, failed: 0 });
    expect(codeOf(await shop.agent.post('/bulk', { ids }))).to.equal('400 invalid');
    expect(codeOf(await shop.agent.post('/bulk', { operation: { type: 'state', state: 'closed' } }))).to.equal(
      '400 invalid',
    );
  });

  it('POST /bulk takes an operation of type state, which carries state', async () => {
    await done({ type: 'state', state: 'waiting' });
    expect(await each('state')).to.deep.equal(['waiting', 'waiting']);
    expect(codeOf(await post({ type: 'state' }))).to.equal('400 invalid');
  });

  it('POST /bulk takes an operation of type assign, with the assignee of a single assignment', async () => {
    await done({ type: 'assign', assignee: shop.ana.id });
    expect(await each('assignee')).to.deep.equal([shop.ana.id, shop.ana.id]);
    await done({ type: 'assign', assignee: null });
    expect(await each('assignee')).to.deep.equal([null, null]);
  });

  it('POST /bulk takes an operation of type tags, with the add and remove of a single change', async () => {
    await done({ type: 'tags', add: ['new'], remove: ['old'] });
    expect(await each('tags')).to.deep.equal([['new'], ['new']]);
  });

  it('POST /bulk takes an operation of type snooze, with the until of a single snooze', async () => {
    const at = Date.now() + 3_600_000;
    await done({ type: 'snooze', until: at });
    expect(await each('snoozedUntil')).to.deep.equal([at, at]);
    await done({ type: 'snooze', until: null });
    expect(await each('snoozedUntil')).to.deep.equal([null, null]);
  });

  it('POST /bulk takes an operation of type action, which runs on the items’ records', async () => {
    const app = await shop.app();
    const linked = [
      await shop.item({ record: { resource: 'order', id: 'o1' } }),
      await shop.item({ record: { resource: 'order', id: 'o2' } }),
    ];
    expect(await done({ type: 'action', action: 'receipt', input: { email: 'ada@example.com' } }, linked)).to.include({
      changed: 2,
    });
    expect(
      app.received.filter(({ method }) => method === 'action.run').map(({ params }) => params.record.id),
    ).to.have.members(['o1', 'o2']);
  });

  it('POST /bulk takes no other type', async () => {
    expect(codeOf(await post({ type: 'delete' }))).to.equal('400 invalid');
  });

  it('POST /bulk checks the fields of an operation as the single change does', async () => {
    expect(codeOf(await post({ type: 'assign', assignee: 5 }))).to.equal('400 invalid');
    expect(codeOf(await post({ type: 'tags', add: 'new', remove: [] }))).to.equal('400 invalid');
    expect(codeOf(await post({ type: 'snooze', until: 'tomorrow' }))).to.equal('400 invalid');
    expect(codeOf(await post({ type: 'state', state: 'closed', other: 1 }))).to.equal('400 invalid');
  });

  it('POST /bulk of actions carries action, input and confirmed', async () => {
    expect(codeOf(await post({ type: 'action', action: 'refund' }))).to.equal('409 confirmation_required');
    ok(await post({ type: 'action', action: 'refund', input: {}, confirmed: true }), 202);
  });

  it('POST /bulk answers at once with the bulk, whose progress and results can be read', async () => {
    const { bulk } = ok(await post({ type: 'state', state: 'closed' }), 202);
    expect(bulk).to.include({ total: 2 });
    await until('it is done', async () => ok(await shop.agent.get(`/bulk/${String(bulk.id)}`)).bulk.status === 'done');
    const { results } = ok(await shop.agent.get(`/bulk/${String(bulk.id)}/results`));
    expect(results.map(({ id, outcome }: Record<string, string>) => [id, outcome])).to.have.deep.members(
      ids.map((id) => [id, 'changed']),
    );
  });
});
