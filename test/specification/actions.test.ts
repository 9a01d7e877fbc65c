/** The specification of actions: the body's fields, each answer, and which actions apply. */
import { expect } from 'chai';
import type { FakeApp } from '../support/app.ts';
import type { Reply } from '../support/http.ts';
import { codeOf, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: actions', () => {
  let shop: ShopWorld;
  let app: FakeApp;

  const post = (body: object): Promise<Reply> => shop.agent.post('/actions', body);
  /** Runs that were requested while the app was offline come beside it. */
  const received = (action = 'receipt'): Reply['body'] =>
    app.received.filter(({ method, params }) => method === 'action.run' && params.action === action).at(-1)?.params;

  before(async () => {
    shop = await newShopWorld();
  });
  after(() => shop.close());

  it('POST /actions answers { queued: true } while the customer’s app is offline', async () => {
    const body = ok(await post({ action: 'ping' }), 202);
    expect(body).to.deep.equal({ queued: true, run: body.run });
  });

  describe('with the app online', () => {
    before(async () => {
      app = await shop.app();
    });

    it('POST /actions takes action: the action’s name, required', async () => {
      ok(await post({ action: 'ping' }));
      expect(codeOf(await post({}))).to.equal('400 invalid');
      expect(codeOf(await post({ action: 5 }))).to.equal('400 invalid');
    });

    it('POST /actions takes record: the target’s id, for actions that take a record and omitted otherwise', async () => {
      ok(await post({ action: 'receipt', record: 'o1', input: { email: 'ada@example.com' } }));
      expect(received().record.id).to.equal('o1');
      expect(codeOf(await post({ action: 'receipt', input: { email: 'ada@example.com' } }))).to.equal('400 invalid');
      expect(codeOf(await post({ action: 'ping', record: 'o1' }))).to.equal('400 invalid');
    });

    it('POST /actions takes input: an object that the action’s own declaration decides', async () => {
      ok(await post({ action: 'receipt', record: 'o1', input: { email: 'bo@example.com' } }));
      expect(received().input).to.deep.equal({ email: 'bo@example.com' });
      expect(codeOf(await post({ action: 'receipt', record: 'o1', input: {} }))).to.equal('400 invalid');
      expect(codeOf(await post({ action: 'receipt', record: 'o1', input: 'text' }))).to.equal('400 invalid');
    });

    it('POST /actions takes item: the action is recorded on that item’s timeline', async () => {
      const item = await shop.item();
      const runs: unknown[] = [];
      for (const [action, status] of [
        ['ping', 200],
        ['reindex', 202],
        ['write_off', 202],
      ] as const) {
        runs.unshift(ok(await post({ action, item, ...(action === 'write_off' ? { record: 'o2' } : {}) }), status).run);
      }
      const { timeline } = ok(await shop.agent.get(`/items/${item}`));
      const entries = timeline.filter(({ type }: { type: string }) => type === 'action');
      expect(entries.map(({ data }: Reply['body']) => data.run)).to.deep.equal(runs);
    });

    it('POST /actions takes confirmed: it must be true for actions with a danger level', async () => {
      expect(codeOf(await post({ action: 'refund', record: 'o1' }))).to.equal('409 confirmation_required');
      expect(codeOf(await post({ action: 'refund', record: 'o1', confirmed: false }))).to.equal(
        '409 confirmation_required',
      );
      ok(await post({ action: 'refund', record: 'o1', confirmed: true }));
    });

    it('POST /actions answers { message, blocks } with the action’s result', async () => {
      const blocks = [{ type: 'text', title: 'Pong', text: 'From the app' }];
      app.handle('action.run', () => ({ message: 'Pong.', blocks }));
      expect(ok(await post({ action: 'ping' }))).to.deep.include({ message: 'Pong.', blocks });
    });

    it('POST /actions answers { running: true } for a background action', async () => {
      const body = ok(await post({ action: 'reindex' }), 202);
      expect(body).to.deep.equal({ running: true, run: body.run });
    });

    it('POST /actions answers { pending: true } for an action that needs approval, which waits under Approvals', async () => {
      const body = ok(await post({ action: 'write_off', record: 'o1' }), 202);
      expect(body).to.include({ pending: true });
      const { approvals } = ok(await shop.ana.get('/approvals'));
      expect(approvals.map(({ id }: { id: string }) => id)).to.include(body.approval);
    });

    it('an action that needs a fresh sign-in cannot be run by an agent', async () => {
      expect(codeOf(await post({ action: 'wipe' }))).to.equal('403 fresh_sign_in_required');
      expect(codeOf(await shop.admin.post('/actions', { action: 'wipe' }))).to.equal('403 fresh_sign_in_required');
    });
  });

  it('GET /actions tells of each action its label, resource, input, danger, approval, fresh sign-in and background', async () => {
    const { actions } = ok(await shop.agent.get('/actions'));
    const refund = actions.find((action: { name: string }) => action.name === 'refund');
    expect(refund).to.deep.include({
      label: 'Refund',
      resource: 'order',
      danger: 'high',
      approval: false,
      freshSignIn: false,
      background: false,
    });
    expect(refund.input).to.be.an('object');
  });

  describe('available', () => {
    const available = async (id: string): Promise<Reply['body']> =>
      ok(await shop.agent.post('/available', { refs: [{ resource: 'order', id }] })).available[0];
    const names = (entries: readonly { readonly action: string }[]): string[] => entries.map(({ action }) => action);

    it('POST /available { refs } says which actions apply to those records right now', async () => {
      expect(names((await available('o1')).actions)).to.have.members(['receipt', 'refund', 'ship', 'write_off']);
      expect(names((await available('o2')).actions)).to.have.members(['receipt', 'refund', 'write_off']);
      await shop.records('order', [{ id: 'o2', title: 'Order 2', fields: { status: 'paid' } }]);
      expect(names((await available('o2')).actions)).to.include('ship');
    });

    it('POST /available says the defaults of those actions', async () => {
      const { actions } = await available('o1');
      expect(actions.find(({ action }: { action: string }) => action === 'receipt').defaults).to.deep.equal({
        email: 'ada@example.com',
      });
    });

    it('POST /available answers for each reference the actions with their input, and why others do not apply', async () => {
      await shop.records('order', [{ id: 'o3', title: 'Order 3', fields: { status: 'open' } }]);
      const entry = await available('o3');
      expect(entry).to.include.all.keys('resource', 'id', 'actions', 'unavailable');
      expect(entry.actions[0]).to.have.all.keys(
        'action',
        'label',
        'description',
        'danger',
        'approval',
        'background',
        'freshSignIn',
        'reasonRequired',
        'reversible',
        'input',
        'defaults',
      );
      expect(names(entry.unavailable)).to.deep.equal(['ship']);
    });
  });
});
