/** Items over HTTP: creating them, what happens to one with the same key again, and their deadlines. */
import { expect } from 'chai';
import type { Client } from '../../support/http.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';
import { hour, openItemsWorld, refused, type ItemsWorld } from './itemsWorld.ts';

describe('items over HTTP: creating', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let viewer: Client;
  let make: ItemsWorld['make'];
  let done: ItemsWorld['done'];
  let detail: ItemsWorld['detail'];
  let timeline: ItemsWorld['timeline'];
  let typesOf: ItemsWorld['typesOf'];

  before(async () => {
    ({ world, admin, clerk, viewer, make, done, detail, timeline, typesOf } = await openItemsWorld());
  });
  after(() => world.close());

  describe('creating', () => {
    it('answers 201 with every member of an item, null where there is nothing', async () => {
      const reply = await clerk.post('/items', { inbox: 'bugs', title: 'Nothing else' }, {});
      refused(reply, 403, 'forbidden');
      const created = await clerk.post('/items', { inbox: 'oneWay', title: '  Without the spaces around it  ' });
      expect(created.status).to.equal(201);
      const { item } = created.body;
      expect(item.id).to.match(/^itm_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
      expect(item).to.deep.equal({
        id: item.id,
        inbox: 'oneWay',
        title: 'Without the spaces around it',
        state: 'new',
        priority: 'normal',
        record: null,
        tags: [],
        assignee: null,
        delegate: null,
        claim: null,
        occurrences: 1,
        users: 0,
        firstSeen: item.createdAt,
        lastSeen: item.createdAt,
        dueAt: null,
        fields: {},
        snoozedUntil: null,
        triaged: false,
        createdAt: item.createdAt,
        updatedAt: item.createdAt,
        version: 1,
      });
      expect((await detail(item)).item).to.deep.equal(item);
    });

    it('takes record, links, tags, key and user', async () => {
      const item = await make({
        inbox: 'desk',
        data: { email: 'a@example.com', seats: 3 },
        record: { resource: 'customer', id: 'c 1/ä' },
        links: [{ resource: 'customer', id: 'c2' }],
        tags: ['zeta', 'alpha', 'zeta'],
        key: 'takes-all',
        user: 'u1',
      });
      expect(item.record).to.deep.equal({ resource: 'customer', id: 'c 1/ä', title: 'Ada' });
      expect(item.tags).to.deep.equal(['alpha', 'zeta']);
      expect(item.users).to.equal(1);
      expect(item.fields).to.deep.equal({ email: 'a@example.com', seats: 3 });
      expect((await timeline(item)).map(({ type, data, actor }) => ({ type, data, actor }))).to.deep.equal([
        { type: 'created', data: {}, actor: { type: 'agent', id: clerk.id, name: 'clerk agent' } },
      ]);
    });

    it('sets the deadline to creation plus the inbox’s response time', async () => {
      const item = await make();
      expect(item.dueAt).to.equal(item.createdAt + hour);
    });

    it('validates data against the fields of the inbox and names each offending path', async () => {
      const reply = await clerk.post('/items', { inbox: 'desk', title: 'x', data: { seats: 'three', colour: 'red' } });
      refused(reply, 400, 'invalid', 'data.email', 'data.seats', 'data.colour');
      refused(await clerk.post('/items', { inbox: 'desk', title: 'x' }), 400, 'invalid', 'data.email');
    });

    it('refuses a record or link of a resource that is unknown and one that the role can’t see in the same way', async () => {
      const of = (resource: string) =>
        clerk.post('/items', {
          inbox: 'mail',
          title: 'x',
          record: { resource, id: 'v1' },
          links: [{ resource, id: 'v1' }],
        });
      const [unseen, unknown] = [await of('vault'), await of('nosuch')];
      refused(unseen, 400, 'invalid', 'record.resource', 'links.0.resource');
      expect(unseen.text).to.equal(unknown.text);
    });

    it('refuses a record or link that does not exist, but of an app, whose records may come later', async () => {
      const missing = { resource: 'customer', id: 'nobody' };
      const known = { resource: 'customer', id: 'c2' };
      const body = { inbox: 'mail', title: 'x', record: missing };
      refused(await clerk.post('/items', body), 400, 'invalid', 'record');
      const links = { inbox: 'mail', title: 'x', record: known, links: [known, missing] };
      refused(await clerk.post('/items', links), 400, 'invalid', 'links.1');
      const supervised = await world.agent('clerk', { mode: 'supervised' });
      refused(await supervised.post('/items', body), 400, 'invalid', 'record');
      const reply = await (await world.appKey()).post('/items', body);
      expect([reply.status, reply.body.item?.record], reply.text).to.deep.equal([201, { ...missing, title: null }]);
    });

    it('holds its limits: title, tags, links, key and record ids', async () => {
      const wrong: [object, string][] = [
        [{ title: 'x'.repeat(501) }, 'title'],
        [{ title: ' \n\t ' }, 'title'],
        [{ tags: ['a,b'] }, 'tags.0'],
        [{ tags: ['t'.repeat(101)] }, 'tags.0'],
        [{ tags: Array.from({ length: 51 }, (_, i) => `t${String(i)}`) }, 'tags'],
        [{ links: Array.from({ length: 21 }, () => ({ resource: 'customer', id: 'c2' })) }, 'links'],
        [{ record: { resource: 'customer', id: '..' } }, 'record.id'],
        [{ record: { resource: 'customer', id: 'list' } }, 'record.id'],
        [{ record: { resource: 'customer', id: 'a\u0001b' } }, 'record.id'],
        [{ record: { resource: 'customer', id: 'x'.repeat(201) } }, 'record.id'],
        [{ record: { resource: 'customer', id: 'c2', more: 1 } }, 'record.more'],
        [{ key: '' }, 'key'],
        [{ inbox: '1nbox' }, 'inbox'],
      ];
      for (const [more, path] of wrong)
        refused(await clerk.post('/items', { inbox: 'mail', title: 'x', ...more }), 400, 'invalid', path);
      await make({ title: '😀'.repeat(500), tags: ['t'.repeat(100)], data: { text: 'x'.repeat(32_000) } });
    });

    it('needs the verb create there', async () => {
      refused(await viewer.post('/items', { inbox: 'mail', title: 'x' }), 403, 'forbidden');
      refused(await clerk.post('/items', { inbox: 'secret', title: 'x' }), 404, 'not_found');
    });

    it('names every missing and unknown member at once', async () => {
      refused(
        await clerk.post('/items', { titel: 'x', state: 'open' }),
        400,
        'invalid',
        'inbox',
        'title',
        'titel',
        'state',
      );
    });
  });

  describe('occurrences', () => {
    it('adds an occurrence to the item with the same key and answers 200 with it', async () => {
      const first = await make({ inbox: 'mail', key: 'k1', data: { plan: 'team' } });
      const again = await clerk.post('/items', {
        inbox: 'mail',
        title: 'Another title',
        key: 'k1',
        tags: ['new'],
        data: { plan: 'solo' },
      });
      expect(again.status).to.equal(200);
      expect(again.body.item).to.include({ id: first.id, title: first.title, occurrences: 2, version: 2 });
      expect(again.body.item.fields).to.deep.equal({ plan: 'team' });
      expect(again.body.item.tags).to.deep.equal([]);
      expect(again.headers.get('etag')).to.equal('"2"');
    });

    it('keeps keys of different inboxes apart', async () => {
      const one = await make({ key: 'apart' });
      const other = await make({ inbox: 'oneWay', key: 'apart' });
      expect(other.id).not.to.equal(one.id);
    });

    it('counts distinct users', async () => {
      const report = (user?: string) => make({ key: 'k-users', ...(user === undefined ? {} : { user }) });
      const counts = [];
      for (const user of ['u1', 'u1', 'u2', undefined, 'u3', 'u2']) counts.push((await report(user)).users);
      expect(counts).to.deep.equal([1, 1, 2, 2, 3, 3]);
    });

    it('counts each of many at the same time', async () => {
      const all = await Promise.all(
        Array.from({ length: 25 }, (_, i) => make({ key: 'k-many', user: `u${String(i % 7)}` })),
      );
      expect(new Set(all.map((item) => item.id)).size).to.equal(1);
      const { item } = await detail(all[0]);
      expect(item).to.include({ occurrences: 25, users: 7, version: 25 });
    });

    it('moves lastSeen forwards and leaves firstSeen', async () => {
      const first = await make({ key: 'k-seen' });
      await until('the clock moves on', () => Date.now() > first.lastSeen);
      const noted = await done(first, 'notes', { text: 'no activity' });
      expect(noted.lastSeen).to.equal(first.lastSeen);
      expect(noted.updatedAt).to.be.above(first.updatedAt);
      const again = await make({ key: 'k-seen' });
      expect(again.lastSeen).to.be.above(first.lastSeen);
      expect(again.firstSeen).to.equal(first.firstSeen);
    });

    it('moves a closed or waiting item to the initial state', async () => {
      for (const state of ['closed', 'waiting']) {
        const item = await make({ key: `k-${state}` });
        await done(item, 'state', { state });
        const again = await make({ key: `k-${state}` });
        expect(again.state).to.equal('open');
        expect((await typesOf(item)).slice(0, 2).sort()).to.deep.equal(['occurred', 'state']);
      }
    });

    it('reopens only the kinds that the inbox names, and wakes where it says so', async () => {
      const waiting = await make({ inbox: 'bugs', key: 'b1' }, admin);
      await done(waiting, 'state', { state: 'waiting' }, admin);
      await done(waiting, 'snooze', { until: Date.now() + hour }, admin);
      const again = await make({ inbox: 'bugs', key: 'b1' }, admin);
      expect(again).to.include({ state: 'waiting', snoozedUntil: null });
      expect(await typesOf(waiting)).to.include('woken');
    });

    it('leaves an item snoozed where the inbox does not wake', async () => {
      const item = await make({ key: 'k-asleep' });
      const until = Date.now() + hour;
      await done(item, 'snooze', { until });
      expect((await make({ key: 'k-asleep' })).snoozedUntil).to.equal(until);
    });

    it('leaves closed what triage closed', async () => {
      const item = await make({ key: 'k-triaged' });
      await done(item, 'triage', { answers: { spam: 'yes' }, close: true });
      const again = await make({ key: 'k-triaged' });
      expect(again).to.include({ state: 'closed', triaged: true, occurrences: 2, dueAt: null });
    });

    it('writes at most one occurred entry in ten minutes, the next one from where it left off', async () => {
      const again = () => make({ inbox: 'bugs', key: 'k-entries' }, admin);
      const item = await again();
      for (let i = 0; i < 4; i++) await again();
      const occurred = async () =>
        (await timeline(item)).filter((entry) => entry.type === 'occurred').map((entry) => entry.data['occurrences']);
      expect(await occurred()).to.deep.equal([{ from: 1, to: 5 }]);
      await world.sql(
        `update items set occurred_entry = jsonb_set(occurred_entry, '{at}', to_jsonb((occurred_entry ->> 'at')::bigint - 600000)) where id = $1`,
        [item.id],
      );
      await again();
      expect(await occurred()).to.deep.equal([
        { from: 5, to: 6 },
        { from: 1, to: 5 },
      ]);
    });
  });

  describe('deadlines', () => {
    it('are cleared by closing and set anew by opening again', async () => {
      const item = await make();
      const closed = await done(item, 'state', { state: 'closed' });
      expect(closed.dueAt).to.equal(null);
      const opened = await done(item, 'state', { state: 'waiting' });
      expect(opened.dueAt).to.equal(opened.updatedAt + hour);
    });

    it('stay as they are between states that are not closed', async () => {
      const item = await make();
      expect((await done(item, 'state', { state: 'waiting' })).dueAt).to.equal(item.dueAt);
    });

    it('are cleared by a reply, and set anew by the next occurrence', async () => {
      const item = await make({ key: 'k-due' });
      expect((await done(item, 'reply', { subject: 'Hello', text: 'World' })).dueAt).to.equal(null);
      const again = await make({ key: 'k-due' });
      expect(again.dueAt).to.equal(again.lastSeen + hour);
    });

    it('are not moved by an occurrence while there is one', async () => {
      const item = await make({ key: 'k-kept' });
      expect((await make({ key: 'k-kept' })).dueAt).to.equal(item.dueAt);
    });
  });
});
