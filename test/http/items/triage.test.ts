/** Items over HTTP: what triage decides. */
import { expect } from 'chai';
import type { Client } from '../../support/http.ts';
import type { World } from '../../support/world.ts';
import { hour, openItemsWorld, refused, type ItemsWorld } from './itemsWorld.ts';

describe('items over HTTP: triage', () => {
  let world: World;
  let admin: Client;
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
    ({ world, admin, clerk, ana, hidden, make, change, done, detail, timeline, typesOf } = await openItemsWorld());
  });
  after(() => world.close());

  describe('triage', () => {
    it('keeps answers with who gave them; a later one to the same question replaces the earlier', async () => {
      const item = await make();
      await done(item, 'triage', { answers: { spam: 'no', topic: 'billing' }, reason: 'By its words.' });
      await done(item, 'triage', { answers: { topic: 'refund' } }, admin);
      const { triage } = await detail(item);
      expect(triage.closed).to.equal(false);
      expect(
        triage.answers.map(({ question, answer, by }: { question: string; answer: unknown; by: { id: string } }) => [
          question,
          answer,
          by.id,
        ]),
      ).to.deep.equal([
        ['spam', 'no', clerk.id],
        ['topic', 'refund', admin.id],
      ]);
      expect(
        (await timeline(item)).filter((entry) => entry.type === 'triage').map((entry) => entry.data),
      ).to.deep.equal([
        { answers: { topic: 'refund' }, closed: false, reason: null },
        { answers: { spam: 'no', topic: 'billing' }, closed: false, reason: 'By its words.' },
      ]);
    });

    it('takes answers of any kind, and the same ones again change nothing, in whatever order their members are', async () => {
      const item = await make();
      await done(item, 'triage', { answers: { who: { name: 'Ada', id: 1 }, sure: 0.75, tags: ['a'], none: null } });
      const again = await change(item, 'triage', { answers: { none: null, who: { id: 1, name: 'Ada' } } });
      expect(again.body).to.deep.include({ changed: false });
    });

    it('closes with close: the inbox’s first closed state, marked as triaged', async () => {
      const item = await make({ inbox: 'refunds' });
      refused(await change(item, 'triage', { answers: {}, close: true }), 422, 'invalid_transition');
      const mail = await done(await make(), 'triage', { answers: { spam: 'yes' }, close: true });
      expect(mail).to.include({ state: 'closed', triaged: true, dueAt: null });
      expect((await detail(mail)).triage.closed).to.equal(true);
      expect((await timeline(mail)).map(({ type, data }) => [type, data])).to.have.deep.members([
        ['created', {}],
        ['state', { from: 'open', to: 'closed' }],
        ['triage', { answers: { spam: 'yes' }, closed: true, reason: null }],
      ]);
    });

    it('closes with a closed state too', async () => {
      const item = await done(await make({ inbox: 'refunds' }), 'triage', { answers: {}, state: 'declined' });
      expect(item).to.include({ state: 'declined', triaged: true });
    });

    it('sets state, tags and assignee along with the answers, in one version', async () => {
      const item = await make();
      const reply = await done(item, 'triage', {
        answers: { topic: 'x' },
        state: 'waiting',
        tags: ['b', 'a'],
        assignee: ana.id,
      });
      expect(reply).to.deep.include({
        state: 'waiting',
        tags: ['a', 'b'],
        assignee: ana.id,
        version: 2,
        triaged: false,
      });
      expect((await typesOf(item)).slice(0, 4).sort()).to.deep.equal(['assigned', 'state', 'tags', 'triage']);
      expect((await done(item, 'triage', { answers: {}, assignee: null })).assignee).to.equal(null);
    });

    it('refuses close together with state, and an assignee who can’t see the inbox', async () => {
      const item = await make();
      refused(await change(item, 'triage', { answers: {}, close: true, state: 'closed' }), 400, 'invalid', 'state');
      refused(await change(item, 'triage', { answers: {}, assignee: hidden.id }), 400, 'invalid', 'assignee');
      refused(await change(item, 'triage', { answers: {}, state: 'nosuch' }), 400, 'invalid', 'state');
      refused(await change(item, 'triage', { answers: { ['q'.repeat(201)]: 1 } }), 400, 'invalid');
      refused(await change(item, 'triage', { answers: { '': 1 } }), 400, 'invalid');
      refused(await change(item, 'triage', { answers: { big: 'x'.repeat(33_000) } }), 400, 'invalid', 'answers');
      expect((await detail(item)).item.version).to.equal(1);
    });

    it('holds a bounded amount of answers on one item', async () => {
      const item = await make();
      await done(item, 'triage', { answers: { a: 'x'.repeat(20_000) } });
      refused(await change(item, 'triage', { answers: { b: 'x'.repeat(20_000) } }), 400, 'invalid', 'answers');
      await done(item, 'triage', { answers: { a: 'y'.repeat(20_000) } });
    });

    it('ends being triaged when anyone opens the item', async () => {
      const item = await make();
      await done(item, 'triage', { answers: {}, close: true });
      const opened = await done(item, 'state', { state: 'open' });
      expect(opened).to.include({ triaged: false, dueAt: opened.updatedAt + hour });
      expect((await detail(item)).triage.closed).to.equal(false);
      await done(item, 'state', { state: 'closed' });
      expect((await detail(item)).item.triaged).to.equal(false);
    });

    it('of an item that a person closed leaves its state, and marks it as triaged', async () => {
      const item = await make();
      await done(item, 'state', { state: 'closed' });
      expect(await done(item, 'triage', { answers: { late: true }, close: true })).to.include({
        state: 'closed',
        triaged: true,
      });
    });

    it('needs its own verb: an operator lacks it', async () => {
      refused(await change(await make(), 'triage', { answers: {} }, await world.agent('operator')), 403, 'forbidden');
    });
  });
});
