/** Items over HTTP: one change after the other. */
import { expect } from 'chai';
import type { Client } from '../../support/http.ts';
import { patience } from '../../support/patience.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';
import { hour, openItemsWorld, refused, type ItemsWorld } from './itemsWorld.ts';

describe('items over HTTP: changing', () => {
  let world: World;
  let clerk: Client;
  let ana: Client;
  let hidden: Client;
  let make: ItemsWorld['make'];
  let change: ItemsWorld['change'];
  let done: ItemsWorld['done'];
  let detail: ItemsWorld['detail'];
  let timeline: ItemsWorld['timeline'];
  let typesOf: ItemsWorld['typesOf'];

  before(async () => {
    ({ world, clerk, ana, hidden, make, change, done, detail, timeline, typesOf } = await openItemsWorld());
  });
  after(() => world.close());

  describe('states', () => {
    it('are entered from any state where the inbox declares no transitions', async () => {
      const item = await make();
      for (const state of ['closed', 'waiting', 'open', 'closed', 'open'])
        expect((await done(item, 'state', { state })).state).to.equal(state);
      expect((await timeline(item)).filter((entry) => entry.type === 'state').map((entry) => entry.data)).to.deep.equal(
        [
          { from: 'closed', to: 'open' },
          { from: 'open', to: 'closed' },
          { from: 'waiting', to: 'open' },
          { from: 'closed', to: 'waiting' },
          { from: 'open', to: 'closed' },
        ],
      );
    });

    it('begin with the initial one, and answer 422 with those that can be reached', async () => {
      const item = await make({ inbox: 'refunds' });
      expect(item.state).to.equal('requested');
      const reply = await change(item, 'state', { state: 'paid' });
      refused(reply, 422, 'invalid_transition');
      expect(reply.body.details.map((place: { message: string }) => place.message)).to.deep.equal([
        'approved',
        'declined',
      ]);
      await done(item, 'state', { state: 'approved' });
      await done(item, 'state', { state: 'paid' });
      const end = await change(item, 'state', { state: 'requested' });
      refused(end, 422, 'invalid_transition');
      expect(end.body.details).to.deep.equal([]);
    });

    it('that are not the inbox’s answer 400 and name those that are', async () => {
      const item = await make({ inbox: 'refunds' });
      const reply = await change(item, 'state', { state: 'open' });
      refused(reply, 400, 'invalid', 'state');
      for (const state of ['requested', 'approved', 'paid', 'declined']) expect(reply.text).to.include(state);
    });

    it('set again change nothing: no version, no entry', async () => {
      const item = await make();
      const reply = await change(item, 'state', { state: 'open' });
      expect([reply.status, reply.body.changed]).to.deep.equal([200, false]);
      expect(reply.body.item).to.deep.equal(item);
      expect(await typesOf(item)).to.deep.equal(['created']);
    });

    it('raise the version by one per change, also under contention', async () => {
      const item = await make();
      const replies = await Promise.all(
        Array.from({ length: 30 }, (_, i) => change(item, 'tags', { add: [`t${String(i)}`] })),
      );
      expect(new Set(replies.map((reply) => reply.body.item.version)).size).to.equal(30);
      expect((await detail(item)).item).to.include({ version: 31 });
      expect((await detail(item)).item.tags).to.have.length(30);
    });
  });

  describe('assigning', () => {
    it('sets and unsets a person and says from whom to whom', async () => {
      const item = await make();
      expect((await done(item, 'assign', { assignee: ana.id })).assignee).to.equal(ana.id);
      expect((await change(item, 'assign', { assignee: ana.id })).body.changed).to.equal(false);
      expect((await done(item, 'assign', { assignee: null })).assignee).to.equal(null);
      expect((await change(item, 'assign', { assignee: null })).body.changed).to.equal(false);
      expect((await timeline(item)).slice(0, 2).map((entry) => entry.data)).to.deep.equal([
        { from: ana.id, to: null },
        { from: null, to: ana.id },
      ]);
    });

    it('answers the same 400 for nobody, an agent, a removed person and one who can’t see the inbox', async () => {
      const gone = await world.person('clerk', 'Gone');
      await world.sql('update people set removed_at = 1 where id = $1', [gone.id]);
      await world.revoke(gone);
      const item = await make();
      const texts = new Set<string>();
      for (const assignee of ['per_01jd0000000000000000000000', 'me', clerk.id, gone.id, hidden.id]) {
        const reply = await change(item, 'assign', { assignee });
        refused(reply, 400, 'invalid', 'assignee');
        texts.add(reply.text);
      }
      expect(texts.size).to.equal(1);
    });
  });

  describe('tags', () => {
    it('are added and removed together, sorted and once each; the entry says what really changed', async () => {
      const item = await make({ tags: ['old', 'kept'] });
      const tagged = await done(item, 'tags', { add: ['new', 'kept', 'new'], remove: ['old', 'never'] });
      expect(tagged.tags).to.deep.equal(['kept', 'new']);
      expect((await timeline(item))[0]?.data).to.deep.equal({ add: ['new'], remove: ['old'] });
    });

    it('that change nothing answer changed false', async () => {
      const item = await make({ tags: ['a'] });
      const reply = await change(item, 'tags', { add: ['a'], remove: ['b'] });
      expect(reply.body).to.deep.equal({ item, changed: false });
    });

    it('are at most 50 on an item', async () => {
      const item = await make({ tags: Array.from({ length: 49 }, (_, i) => `t${String(i)}`) });
      refused(await change(item, 'tags', { add: ['x', 'y'] }), 400, 'invalid', 'add');
      expect((await done(item, 'tags', { add: ['x', 'y'], remove: ['t0'] })).tags).to.have.length(50);
    });

    it('need something to add or remove, and no tag in both', async () => {
      const item = await make();
      refused(await change(item, 'tags', {}), 400, 'invalid');
      refused(await change(item, 'tags', { add: [], remove: [] }), 400, 'invalid');
      refused(await change(item, 'tags', { add: ['a', 'b'], remove: ['b'] }), 400, 'invalid', 'add.1');
    });
  });

  describe('snoozing', () => {
    it('sets the time, and null wakes', async () => {
      const item = await make();
      const time = Date.now() + hour;
      expect((await done(item, 'snooze', { until: time })).snoozedUntil).to.equal(time);
      expect((await change(item, 'snooze', { until: time })).body.changed).to.equal(false);
      expect((await done(item, 'snooze', { until: null })).snoozedUntil).to.equal(null);
      expect((await timeline(item)).map(({ type, data }) => ({ type, data })).slice(0, 2)).to.deep.equal([
        { type: 'woken', data: { from: time } },
        { type: 'snoozed', data: { from: null, to: time } },
      ]);
    });

    it('ends by itself within two seconds of its time', async () => {
      const item = await make();
      const time = Date.now() + 300;
      await done(item, 'snooze', { until: time });
      const woken = await until('it wakes', async () => (await timeline(item)).find((entry) => entry.type === 'woken'));
      expect(woken.actor.type).to.equal('system');
      expect(woken.data).to.deep.equal({ from: time });
      expect(woken.at - time).to.be.within(0, 2_000 * patience);
      expect((await detail(item)).item).to.include({ snoozedUntil: null, version: 3 });
    });

    it('ends with closing, and a closed item can’t be snoozed', async () => {
      const item = await make();
      await done(item, 'snooze', { until: Date.now() + hour });
      expect((await done(item, 'state', { state: 'closed' })).snoozedUntil).to.equal(null);
      refused(await change(item, 'snooze', { until: Date.now() + hour }), 409, 'conflict');
      expect((await change(item, 'snooze', { until: null })).body.changed).to.equal(false);
    });
  });

  describe('notes', () => {
    it('answer 201 with the item and the entry', async () => {
      const item = await make();
      const reply = await change(item, 'notes', { text: ' two\nlines <script>alert(1)</script> ' });
      expect(reply.status).to.equal(201);
      expect(reply.body.item.version).to.equal(2);
      const [entry] = await timeline(item);
      expect(reply.body.entry).to.deep.equal(entry);
      expect(entry).to.deep.include({ type: 'note', data: { text: ' two\nlines <script>alert(1)</script> ' } });
      expect(entry?.actor).to.deep.equal({ type: 'agent', id: clerk.id, name: 'clerk agent' });
    });

    it('are never nothing to do: the same text twice is two notes', async () => {
      const item = await make();
      await done(item, 'notes', { text: 'again' });
      await done(item, 'notes', { text: 'again' });
      expect(await typesOf(item)).to.deep.equal(['note', 'note', 'created']);
    });
  });

  describe('replies', () => {
    it('answer 202 with an entry that is sending, and stage their delivery with the change', async () => {
      const item = await make();
      const reply = await change(item, 'reply', { subject: 'Your invoice', text: 'Corrected.' });
      expect(reply.status).to.equal(202);
      expect(reply.body.entry).to.deep.include({
        type: 'reply',
        data: { subject: 'Your invoice', text: 'Corrected.', status: 'sending', error: null },
      });
      expect((await timeline(item))[0]).to.deep.equal(reply.body.entry);
      const jobs = await world.sql('select name, payload from staged_jobs where subject = $1', [item.id]);
      expect(jobs).to.deep.equal([
        { name: 'replySend', payload: { item: item.id, entry: reply.body.entry.id, dueAt: item.dueAt } },
      ]);
    });

    it('answer 409 where the inbox sends none', async () => {
      refused(await change(await make({ inbox: 'oneWay' }), 'reply', { subject: 'a', text: 'b' }), 409, 'conflict');
    });

    it('answer 422 where the item has no address', async () => {
      for (const data of [{}, { email: 'nobody' }, { email: 7 }]) {
        refused(
          await change(await make({ inbox: 'refunds', data }), 'reply', { subject: 'a', text: 'b' }),
          422,
          'action_failed',
        );
      }
      expect(
        (
          await change(await make({ inbox: 'refunds', data: { email: 'ada@example.com' } }), 'reply', {
            subject: 'a',
            text: 'b',
          })
        ).status,
      ).to.equal(202);
    });

    it('keep their 422 under an idempotency key, as an action that failed', async () => {
      const item = await make({ inbox: 'refunds' });
      const send = () =>
        clerk.post(
          `/items/${item.id}/reply`,
          { subject: 'a', text: 'b' },
          { headers: { 'idempotency-key': 'no-address' } },
        );
      const [first, second] = [await send(), await send()];
      expect([first.status, second.status, second.headers.get('idempotent-replayed')]).to.deep.equal([
        422,
        422,
        'true',
      ]);
      expect(second.text).to.equal(first.text);
    });
  });
});
