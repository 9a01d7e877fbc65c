/** Bulks over HTTP: what becomes of each item. */
import { expect } from 'chai';
import { openLive, type Message } from '../../support/live.ts';
import { hour, openBulksWorld, unknown, type BulksWorld } from './bulksWorld.ts';

describe('bulks over HTTP: running', () => {
  let world: BulksWorld['world'];
  let admin: BulksWorld['admin'];
  let clerk: BulksWorld['clerk'];
  let viewer: BulksWorld['viewer'];
  let ana: BulksWorld['ana'];
  let make: BulksWorld['make'];
  let copies: BulksWorld['copies'];
  let ask: BulksWorld['ask'];
  let finished: BulksWorld['finished'];
  let run: BulksWorld['run'];
  let results: BulksWorld['results'];
  let read: BulksWorld['read'];
  let item: BulksWorld['item'];

  before(async () => {
    ({ world, admin, clerk, viewer, ana, make, copies, ask, finished, run, results, read, item } =
      await openBulksWorld());
  });
  after(() => world.close());

  describe('running', () => {
    it('answers 202 at once and gives each id its own outcome, hidden like unknown, duplicates once', async () => {
      const [own, closed, readOnly, hidden] = [
        await make(),
        await make(),
        await make({ inbox: 'bugs' }),
        await make({ inbox: 'secret' }),
      ];
      await admin.post(`/items/${closed.id}/state`, { state: 'closed' });
      const reply = await ask([own.id, hidden.id, own.id, unknown, closed.id, readOnly.id, 'no id at all'], {
        type: 'state',
        state: 'closed',
      });
      expect(reply.status).to.equal(202);
      const by = { type: 'agent', id: clerk.id, name: 'clerk agent' };
      expect(reply.body.bulk).to.deep.include({
        status: 'queued',
        operation: { type: 'state', state: 'closed' },
        total: 6,
        done: 0,
        changed: 0,
        unchanged: 0,
        failed: 0,
        startedAt: null,
        finishedAt: null,
        by,
      });
      const bulk = await finished(reply.body.bulk.id, clerk);
      expect(bulk).to.deep.include({
        id: reply.body.bulk.id,
        status: 'done',
        total: 6,
        done: 6,
        changed: 1,
        unchanged: 1,
        failed: 4,
        by,
      });
      expect(bulk.startedAt).to.be.at.most(bulk.finishedAt);
      const found = await results(bulk.id);
      expect(found.map(({ id, outcome }) => [id, outcome])).to.deep.equal([
        [own.id, 'changed'],
        [hidden.id, 'not_found'],
        [unknown, 'not_found'],
        [closed.id, 'unchanged'],
        [readOnly.id, 'forbidden'],
        ['no id at all', 'not_found'],
      ]);
      expect({ ...found[1], id: unknown }).to.deep.equal(found[2]);
      expect(found[0]).to.deep.equal({ id: own.id, outcome: 'changed', error: null, code: null });
      expect(await item(own)).to.include({ state: 'closed', version: 2 });
      expect(await item(hidden)).to.include({ version: 1 });
    });

    it('tells failures by their own code: states of other inboxes, transitions, people who cannot see the inbox', async () => {
      const [mail, refund] = [await make(), await make({ inbox: 'refunds' })];
      const states = await results((await run([mail.id, refund.id], { type: 'state', state: 'paid' })).id);
      expect(states.map(({ outcome, code }) => [outcome, code])).to.deep.equal([
        ['failed', 'invalid'],
        ['failed', 'invalid_transition'],
      ]);
      expect(states[0]?.error).to.include('open, waiting, closed');
      for (const dryRun of [true, false]) {
        const nowhere = await admin.post('/bulk', {
          ids: [mail.id],
          operation: { type: 'state', state: 'nowhere' },
          dryRun,
        });
        expect([nowhere.status, nowhere.body.code, nowhere.body.details[0].path]).to.deep.equal([
          400,
          'invalid',
          'operation.state',
        ]);
        expect(nowhere.body.details[0].message).to.include('open').and.include('paid');
      }
      const assigned = await results(
        (await run([mail.id], { type: 'assign', assignee: 'per_01jd0000000000000000000000' })).id,
      );
      expect(assigned.map(({ outcome, code }) => [outcome, code])).to.deep.equal([['failed', 'invalid']]);
      await admin.post(`/items/${mail.id}/state`, { state: 'closed' });
      const snooze = { type: 'snooze', until: Date.now() + hour };
      const snoozed = await results((await run([mail.id], snooze)).id);
      expect(snoozed.map(({ outcome, code }) => [outcome, code])).to.deep.equal([['failed', 'conflict']]);
      const dry = await clerk.post('/bulk', { ids: [mail.id], operation: snooze, dryRun: true });
      expect(dry.body).to.include({ wouldChange: 0, failed: 1 });
      expect(dry.body.problems).to.deep.equal([
        { code: 'conflict', message: 'A closed item can’t be snoozed; open it first.', count: 1 },
      ]);
    });

    it('assigns, tags and snoozes as the calls for one item do', async () => {
      const one = await make({ tags: ['a', 'b'] });
      const until = Date.now() + hour;
      await run([one.id], { type: 'assign', assignee: ana.id });
      const tags = await run([one.id], { type: 'tags', add: ['c'], remove: ['a'] });
      expect(tags.operation).to.deep.equal({ type: 'tags', add: ['c'], remove: ['a'] });
      await run([one.id], { type: 'snooze', until });
      expect(await item(one)).to.deep.include({ assignee: ana.id, tags: ['b', 'c'], snoozedUntil: until, version: 4 });
      expect((await run([one.id], { type: 'tags', remove: ['zzz'] })).operation).to.deep.equal({
        type: 'tags',
        add: [],
        remove: ['zzz'],
      });
      await run([one.id], { type: 'snooze', until: null });
      expect((await read(one)).timeline.map((entry: { type: string }) => entry.type)).to.deep.equal([
        'woken',
        'snoozed',
        'tags',
        'assigned',
        'created',
      ]);
    });

    it('leaves the same timeline entry, audit entry and live messages as a single call', async () => {
      const fields = { title: 'Twins', data: { email: 'a@example.com' } };
      const [single, bulked] = [await make(fields, clerk), await make(fields, clerk)];
      const live = await openLive(clerk);
      const one = await clerk.post(`/items/${single.id}/state`, { state: 'closed' });
      const reply = await ask([bulked.id], { type: 'state', state: 'closed' });
      await finished(reply.body.bulk.id);
      const ids = [single.id, bulked.id];
      const about = ({ item, entry }: Message): string => (item?.id ?? entry?.item) as string;
      const told = (message: Message, id: string): boolean =>
        about(message) === id && (message.entry?.type ?? message.change) !== 'created';
      for (const id of ids)
        await live.next('both messages', (message) => message.type === 'timeline' && told(message, id));
      await live.close();
      const plain = (value: unknown, which: number): unknown =>
        JSON.parse(JSON.stringify(value).replaceAll(ids[which] ?? '', 'ITEM'), (key, inner: unknown) =>
          ['id', 'at', 'offset', 'prev', 'createdAt', 'updatedAt', 'firstSeen', 'lastSeen', 'dueAt'].includes(key) &&
          typeof inner !== 'object' &&
          inner !== clerk.id
            ? key
            : inner,
        ) as unknown;
      const same = (pair: unknown[]): void => {
        expect(plain(pair[1], 1)).to.deep.equal(plain(pair[0], 0));
      };
      const heard = ids.map((id) => live.messages.filter((message) => told(message, id)));
      same(heard);
      expect(heard.map((messages) => messages.map(({ type }) => type))).to.deep.equal([
        ['item', 'timeline'],
        ['item', 'timeline'],
      ]);
      same(await Promise.all([single, bulked].map(async (each) => (await read(each)).timeline)));
      const audits = await Promise.all(
        ids.map(async (id) => (await admin.get(`/audit?target=${id}&verb=item.state`)).body.entries),
      );
      expect(audits.map((entries) => entries[0].requestId)).to.deep.equal([
        one.headers.get('x-request-id'),
        reply.headers.get('x-request-id'),
      ]);
      same(audits.map(([entry]) => ({ ...entry, requestId: 'REQUEST' })));
      expect(audits.map((entries) => entries.length)).to.deep.equal([1, 1]);
    });

    it('tells its author and who sees the audit log of its progress, and nobody else', async () => {
      const ids = await copies(1200);
      const streams = {
        clerk: await openLive(clerk, '?types=bulk'),
        admin: await openLive(admin, '?types=bulk'),
        viewer: await openLive(viewer, '?types=bulk'),
      };
      const bulk = await run(ids, { type: 'tags', add: ['many'] });
      expect(bulk).to.include({ status: 'done', total: 1200, done: 1200, changed: 1200 });
      for (const live of [streams.clerk, streams.admin]) {
        const last = await live.next(
          'the end',
          (message) => message.type === 'bulk' && message.bulk.finishedAt !== null,
        );
        expect(last.bulk).to.deep.equal(bulk);
        const told = live.messages.filter((message) => message.type === 'bulk');
        expect(told[0].bulk).to.include({ status: 'queued', done: 0 });
        expect(
          told.filter((message) => message.offset !== message.prev).map((message) => message.bulk.status),
        ).to.deep.equal(['queued', 'done']);
      }
      expect(streams.viewer.messages.filter((message) => message.type === 'bulk')).to.deep.equal([]);
      for (const live of Object.values(streams)) await live.close();
    });
  });
});
