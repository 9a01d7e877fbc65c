/** The specification of approvals: pending requests, and the two decisions. */
import { expect } from 'chai';
import type { FakeApp } from '../support/app.ts';
import type { Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { codeOf, idsOf, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: approvals', () => {
  let shop: ShopWorld;
  let app: FakeApp;
  let asked: { readonly approval: string; readonly run: string };
  let orders = 0;

  before(async () => {
    shop = await newShopWorld();
    app = await shop.app();
  });
  beforeEach(async () => {
    const id = `new_${String((orders += 1))}`;
    await shop.records('order', [{ id, title: id }]);
    asked = ok(await shop.agent.post('/actions', { action: 'write_off', record: id }), 202);
  });
  after(() => shop.close());

  const pending = async (): Promise<string[]> => idsOf(ok(await shop.ana.get('/approvals')).approvals);
  const decide = (verb: string, client = shop.ana): Promise<Reply> =>
    client.post(`/approvals/${asked.approval}/${verb}`);
  const ran = (): boolean =>
    app.received.some(({ method, params }) => method === 'action.run' && params.run === asked.run);

  it('GET /approvals answers pending requests', async () => {
    expect(await pending()).to.include(asked.approval);
    ok(await decide('reject'));
    expect(await pending()).not.to.include(asked.approval);
  });

  it('POST /approvals/:id/approve approves the request, and what it asks for is done', async () => {
    expect(ok(await decide('approve')).approval).to.include({ id: asked.approval, status: 'approved' });
    await until('the action has run', ran);
  });

  it('POST /approvals/:id/reject rejects the request, and nothing is done', async () => {
    expect(ok(await decide('reject')).approval).to.include({ id: asked.approval, status: 'rejected' });
    expect(ok(await shop.agent.get(`/runs/${asked.run}`)).run.status).to.equal('rejected');
    expect(ran()).to.equal(false);
  });

  it('approve answers { approval, run, flag, bulk, item }, reject { approval }', async () => {
    expect(ok(await decide('approve'))).to.have.all.keys('approval', 'run', 'flag', 'bulk', 'item');
    const { approval } = ok(await shop.agent.post('/actions', { action: 'write_off', record: 'o1' }), 202);
    expect(ok(await shop.ana.post(`/approvals/${String(approval)}/reject`))).to.have.all.keys('approval');
  });

  it('an approval says what is asked for, by whom, and what became of it', async () => {
    const { approval } = ok(await shop.ana.get(`/approvals/${asked.approval}`));
    expect(approval).to.include({ kind: 'action', action: 'write_off', status: 'pending', run: asked.run });
    expect(approval.requestedBy).to.include({ type: 'agent', id: shop.agent.id });
  });

  it('requests are decided by persons, not by agents', async () => {
    expect(codeOf(await decide('approve', shop.admin))).to.equal('403 person_required');
    expect(codeOf(await decide('reject', shop.admin))).to.equal('403 person_required');
    expect(await pending()).to.include(asked.approval);
  });
});
