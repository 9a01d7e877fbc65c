/** The specification of fields: the fields of an item, its detail form, and the other things named in payloads. */
import { expect } from 'chai';
import type { Reply } from '../support/http.ts';
import { codeOf, idsOf, newShopWorld, ok, tick, type ShopWorld } from './shopWorld.ts';

describe('specification: resources and their fields', () => {
  let shop: ShopWorld;
  let id = '';
  let detail: Reply['body'];
  let bare: Reply['body'];

  const given = {
    inbox: 'mail',
    title: 'Where is my order?',
    data: { email: 'ada@example.com', plan: 'team' },
    tags: ['urgent', 'billing'],
    key: 'thread-1',
    user: 'u1',
    record: { resource: 'customer', id: 'c1' },
    links: [{ resource: 'order', id: 'o1' }],
  };

  before(async () => {
    shop = await newShopWorld();
    id = await shop.item(given);
    await tick();
    ok(await shop.admin.post('/items', { ...given, user: 'u2' }));
    ok(await shop.agent.post(`/items/${id}/assign`, { assignee: shop.ana.id }));
    ok(await shop.agent.post(`/items/${id}/triage`, { answers: { urgent: 'yes' } }));
    detail = ok(await shop.agent.get(`/items/${id}`));
    bare = ok(await shop.agent.get(`/items/${await shop.item()}`)).item;
  });
  after(() => shop.close());

  describe('item', () => {
    it('an item has id: its identifier, by which it is read', () => {
      expect(detail.item.id).to.equal(id);
    });

    it('an item has inbox: the inbox that it belongs to', () => {
      expect(detail.item.inbox).to.equal('mail');
    });

    it('an item has title', () => {
      expect(detail.item.title).to.equal('Where is my order?');
    });

    it('an item has state: its current state', () => {
      expect(detail.item.state).to.equal('open');
    });

    it('an item has record: the record that it is linked to', () => {
      expect(detail.item.record).to.deep.equal({ resource: 'customer', id: 'c1', title: 'Ada Byron' });
      expect(bare.record).to.equal(null);
    });

    it('an item has tags', () => {
      expect(detail.item.tags).to.deep.equal(['billing', 'urgent']);
    });

    it('an item has assignee: a person’s id, or unassigned', () => {
      expect(detail.item.assignee).to.equal(shop.ana.id);
      expect(bare.assignee).to.equal(null);
    });

    it('an item has occurrences: how often it occurred', () => {
      expect([detail.item.occurrences, bare.occurrences]).to.deep.equal([2, 1]);
    });

    it('an item has users: how many users it affected', () => {
      expect([detail.item.users, bare.users]).to.deep.equal([2, 0]);
    });

    it('an item has firstSeen: when it was first seen', () => {
      expect(detail.item.firstSeen).to.equal(detail.item.createdAt);
    });

    it('an item has lastSeen: when it was last seen', () => {
      expect(detail.item.lastSeen).to.be.above(detail.item.firstSeen);
    });

    it('an item has dueAt: its response deadline', () => {
      expect(detail.item.dueAt).to.equal(detail.item.firstSeen + 3_600_000);
      expect(bare.dueAt).to.equal(null);
    });

    it('an item has fields: its additional fields', () => {
      expect(detail.item.fields).to.deep.equal({ email: 'ada@example.com', plan: 'team' });
    });

    it('the fields of an item are texts, whole numbers, lists of texts, objects or null', () => {
      for (const name of ['id', 'inbox', 'title', 'state']) expect(detail.item[name], name).to.be.a('string');
      for (const name of ['occurrences', 'users', 'firstSeen', 'lastSeen', 'dueAt'])
        expect(Number.isSafeInteger(detail.item[name]), name).to.equal(true);
      expect(detail.item.tags).to.be.an('array');
      expect(detail.item.fields).to.be.an('object');
      expect([bare.record, bare.assignee, bare.dueAt]).to.deep.equal([null, null, null]);
    });
  });

  describe('detail form', () => {
    it('the detail form of an item carries its blocks', () => {
      expect(detail.blocks[0]).to.include({ type: 'text', title: 'From', text: 'Mail from ada@example.com' });
    });

    it('the detail form of an item carries its linked records', () => {
      expect(idsOf(detail.linked)).to.deep.equal(['c1', 'o1']);
    });

    it('the detail form of an item carries its suggested actions', () => {
      expect(detail.suggestedActions).to.have.length(1);
      expect(detail.suggestedActions[0]).to.include({ action: 'ping', reason: 'On the team plan.' });
    });

    it('the detail form of an item carries triage’s answers', () => {
      expect(detail.triage.answers[0]).to.include({ question: 'urgent', answer: 'yes' });
    });

    it('the detail form of an item carries its timeline', () => {
      expect(detail.timeline.map((entry: { type: string }) => entry.type)).to.include.members([
        'created',
        'assigned',
        'triage',
      ]);
    });

    it('a timeline entry has id, item, type, at, actor and data', () => {
      for (const entry of detail.timeline) {
        expect(entry).to.have.all.keys('id', 'item', 'type', 'at', 'actor', 'data');
        expect(entry.item).to.equal(id);
        expect(entry.actor).to.have.all.keys('type', 'id', 'name');
      }
    });
  });

  describe('named things', () => {
    it('a reference is an object with resource (a resource’s name) and id (a record’s id)', async () => {
      const { available } = ok(await shop.agent.post('/available', { refs: [{ resource: 'order', id: 'o1' }] }));
      expect(available[0]).to.include({ resource: 'order', id: 'o1' });
      expect(codeOf(await shop.agent.post('/available', { refs: [{ resource: 'order' }] }))).to.equal('400 invalid');
      expect(codeOf(await shop.agent.post('/available', { refs: [{ id: 'o1' }] }))).to.equal('400 invalid');
    });

    it('a flag change is an object with optional value, rollout, targets, rules and ramp', async () => {
      const all = {
        value: true,
        rollout: 50,
        targets: { c1: true },
        rules: [{ when: { field: 'plan', op: 'eq', value: 'team' }, value: true }],
        ramp: null,
      };
      ok(await shop.agent.post('/flags/checkout', { change: all }));
      for (const [member, value] of Object.entries(all))
        ok(await shop.agent.post('/flags/checkout', { change: { [member]: value } }));
      expect(codeOf(await shop.agent.post('/flags/checkout', { change: { other: 1 } }))).to.equal('400 invalid');
    });

    it('a ramp is an object with to, over, every and at', async () => {
      const ramp = { to: 100, over: 3_600_000, every: 60_000, at: null };
      const { flag } = ok(await shop.agent.post('/flags/ramped', { change: { ramp } }));
      expect(flag.ramp).to.include(ramp);
    });
  });
});
