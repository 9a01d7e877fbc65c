/** The main job in one piece: an agent works items over HTTP and a subscriber sees each change at once. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { clerkGrants } from '../support/manifest.ts';
import { newWorld, type World } from '../support/world.ts';

describe('the main path', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;

  before(async () => {
    world = await newWorld();
    await world.role('clerk', clerkGrants);
    admin = await world.agent('admin');
    clerk = await world.agent('clerk');
  });
  after(() => world.close());

  it('creates an item, changes it, and tells a subscriber of both in order', async () => {
    const live = await openLive(clerk);
    const created = await clerk.post('/items', {
      inbox: 'mail',
      title: 'Charged twice',
      data: { email: 'a@example.com', plan: 'team' },
      tags: ['billing'],
    });
    expect(created.status).to.equal(201);
    const { id } = created.body.item;
    expect(created.body.item).to.include({
      inbox: 'mail',
      state: 'open',
      version: 1,
      occurrences: 1,
      users: 0,
      assignee: null,
      triaged: false,
    });
    expect(created.headers.get('etag')).to.equal('"1"');
    expect(created.headers.get('x-live-offset')).to.be.a('string');

    const changed = await clerk.post(`/items/${id}/state`, { state: 'waiting' });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.deep.include({ changed: true });
    expect(changed.body.item).to.include({ state: 'waiting', version: 2 });

    const second = await live.next(
      'the second version',
      (message) => message.type === 'item' && message.item.version === 2,
    );
    expect(second.item).to.deep.equal(changed.body.item);
    expect(second.by).to.deep.equal({ type: 'agent', id: clerk.id, name: 'clerk agent' });
    await live.next('the state entry', (message) => message.entry?.type === 'state');
    const kinds = live.messages
      .filter((message) => message.type === 'item' || message.type === 'timeline')
      .map((message) => message.entry?.type ?? message.change);
    expect(kinds).to.deep.equal(['created', 'created', 'changed', 'state']);
    await live.close();
  });

  it('answers 200 with changed false and records nothing when there is nothing to do', async () => {
    const {
      body: { item },
    } = await clerk.post('/items', { inbox: 'mail', title: 'Nothing to do' });
    const same = await clerk.post(`/items/${item.id}/state`, { state: 'open' });
    expect(same.body.changed).to.equal(false);
    expect(same.body.item).to.deep.equal(item);
    const detail = await clerk.get(`/items/${item.id}`);
    expect(detail.body.timeline.map((entry: { type: string }) => entry.type)).to.deep.equal(['created']);
  });

  it('does the same request once under one idempotency key, and answers the same bytes', async () => {
    const headers = { 'idempotency-key': 'once-1' };
    const body = { inbox: 'mail', title: 'Only one of these' };
    const replies = await Promise.all(Array.from({ length: 20 }, () => clerk.post('/items', body, { headers })));
    expect(new Set(replies.map((reply) => reply.text)).size).to.equal(1);
    expect(replies.every((reply) => reply.status === 201)).to.equal(true);
    expect(replies.filter((reply) => reply.headers.get('idempotent-replayed') === 'true')).to.have.length(19);
    const list = await clerk.get('/items?search=only%20one%20these');
    expect(list.body.items).to.have.length(1);
    const other = await clerk.post('/items', { ...body, title: 'Another' }, { headers });
    expect(other.status).to.equal(422);
    expect(other.body.code).to.equal('idempotency_mismatch');
  });

  it('writes each change and each denial into the audit log', async () => {
    const {
      body: { item },
    } = await admin.post('/items', { inbox: 'secret', title: 'Not for clerks' });
    const denied = await clerk.post(`/items/${item.id}/notes`, { text: 'hello' });
    expect(denied.status).to.equal(404);
    const { body } = await admin.get(`/audit?target=${item.id}`);
    const entries = body.entries as { verb: string; outcome: string; actor: { id: string } }[];
    expect(entries.map(({ verb, outcome, actor }) => [verb, outcome, actor.id])).to.deep.equal([
      ['item.note', 'denied', clerk.id],
      ['item.create', 'ok', admin.id],
    ]);
  });
});
