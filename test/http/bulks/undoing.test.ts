/** Bulks over HTTP: reading them, undoing and cancelling. */
import { expect } from 'chai';
import type { Reply } from '../../support/http.ts';
import { clerkGrants } from '../../support/manifest.ts';
import { newWorld } from '../../support/world.ts';
import { hour, openBulksWorld, refused, unknown, type BulksWorld, type Result } from './bulksWorld.ts';

describe('bulks over HTTP: afterwards', () => {
  let world: BulksWorld['world'];
  let admin: BulksWorld['admin'];
  let clerk: BulksWorld['clerk'];
  let ana: BulksWorld['ana'];
  let make: BulksWorld['make'];
  let many: BulksWorld['many'];
  let idsOf: BulksWorld['idsOf'];
  let ask: BulksWorld['ask'];
  let run: BulksWorld['run'];
  let undo: BulksWorld['undo'];
  let results: BulksWorld['results'];
  let outcomes: BulksWorld['outcomes'];
  let read: BulksWorld['read'];
  let item: BulksWorld['item'];

  before(async () => {
    ({ world, admin, clerk, ana, make, many, idsOf, ask, run, undo, results, outcomes, read, item } =
      await openBulksWorld());
  });
  after(() => world.close());

  describe('reading', () => {
    it('pages through results, also of one outcome', async () => {
      const items = await many(5);
      const ids = [unknown, ...idsOf(items), 'other', 'third'];
      const { id } = await run(ids, { type: 'tags', add: ['paged'] });
      const pages: Result[] = [];
      let cursor: string | null = '';
      for (let turn = 0; cursor !== null; turn++) {
        const { body }: Reply = await clerk.get(
          `/bulk/${id as string}/results?limit=${String(turn + 1)}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        pages.push(...(body.results as Result[]));
        cursor = body.cursor as string | null;
      }
      expect(pages.map((result) => result.id)).to.deep.equal(ids);
      expect((await results(id, '&outcome=not_found')).map((result) => result.id)).to.deep.equal([
        unknown,
        'other',
        'third',
      ]);
      const first = await clerk.get(`/bulk/${id as string}/results?limit=1&outcome=not_found`);
      refused(
        await clerk.get(`/bulk/${id as string}/results?cursor=${first.body.cursor as string}`),
        400,
        'bad_cursor',
      );
      refused(await clerk.get(`/bulk/${id as string}/results?outcome=perhaps`), 400, 'invalid', 'outcome');
    });

    it('is seen by its author and by who sees the audit log, without results of items that they do not see', async () => {
      const [mail, refund] = [await make(), await make({ inbox: 'refunds' })];
      const { id } = await run([mail.id, unknown, refund.id], { type: 'tags', add: ['seen'] });
      const auditor = await world.agent('auditor');
      expect((await results(id, '', auditor)).map((result) => result.id)).to.deep.equal([mail.id]);
      expect((await results(id, '', admin)).map((result) => result.id)).to.deep.equal([mail.id, unknown, refund.id]);
      expect((await auditor.get(`/bulk/${id as string}`)).body.bulk).to.include({ total: 1, changed: 1 });
      const colleague = await world.agent('clerk');
      const missing = await colleague.get(`/bulk/blk_01jd0000000000000000000000`);
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/results'],
        ['POST', '/cancel'],
        ['POST', '/undo'],
      ] as const) {
        const reply = await colleague.call(method, `/bulk/${id as string}${path}`);
        refused(reply, 404, 'not_found');
        expect(reply.text).to.equal(missing.text);
      }
      await world.environment('other');
      const elsewhere = await world.agent('admin', { environments: ['*'] });
      refused(await world.elsewhere(elsewhere, 'other').get(`/bulk/${id as string}`), 404, 'not_found');
    });
  });

  describe('undoing', () => {
    it('gives each changed item its former value back, with the deadline and the snooze that the change had cleared', async () => {
      const [snoozed, plain, same] = [await make(), await make({ inbox: 'oneWay' }), await make()];
      await admin.post(`/items/${snoozed.id}/snooze`, { until: Date.now() + hour });
      await admin.post(`/items/${same.id}/state`, { state: 'closed' });
      const before = await item(snoozed);
      const closing = await run([snoozed.id, same.id], { type: 'state', state: 'closed' });
      expect(await item(snoozed)).to.include({ state: 'closed', dueAt: null, snoozedUntil: null });
      const undone = await undo(closing.id);
      expect(undone).to.deep.include({
        operation: { type: 'undo', bulk: closing.id },
        total: 1,
        changed: 1,
        status: 'done',
      });
      expect(await item(snoozed)).to.include({
        state: 'open',
        dueAt: before.dueAt,
        snoozedUntil: before.snoozedUntil,
        version: 4,
      });
      expect(await item(same)).to.include({ state: 'closed' });
      expect((await read(snoozed)).timeline[0]).to.deep.include({
        type: 'state',
        data: { from: 'closed', to: 'open' },
      });
      const old = await run([plain.id], { type: 'state', state: 'old' });
      await undo(old.id);
      expect(await item(plain), 'whatever transitions say').to.include({ state: 'new' });
      expect((await admin.get(`/audit?verb=bulk.undo&target=${closing.id as string}`)).body.entries).to.have.length(1);
    });

    it('leaves an item alone whose value is no longer the one that the bulk set', async () => {
      const [kept, moved] = await many(2, { tags: ['old'] });
      const assigning = await run([kept.id, moved.id], { type: 'assign', assignee: ana.id });
      await admin.post(`/items/${moved.id}/assign`, { assignee: null });
      expect(await outcomes((await undo(assigning.id)).id)).to.deep.equal(['changed', 'conflict']);
      const tagging = await run([kept.id, moved.id], { type: 'tags', add: ['new'], remove: ['old'] });
      await admin.post(`/items/${kept.id}/tags`, { add: ['unrelated'] });
      await admin.post(`/items/${moved.id}/tags`, { remove: ['new'] });
      expect(await outcomes((await undo(tagging.id)).id)).to.deep.equal(['changed', 'conflict']);
      expect((await item(kept)).tags).to.deep.equal(['old', 'unrelated']);
      expect((await item(moved)).tags).to.deep.equal([]);
      const until = Date.now() + hour;
      const snoozing = await run([kept.id], { type: 'snooze', until });
      expect(await outcomes((await undo(snoozing.id)).id)).to.deep.equal(['changed']);
      expect(await item(kept)).to.include({ snoozedUntil: null });
    });

    it('refuses with 409 what cannot be undone, and with 403 who has not the verb', async () => {
      const one = await make();
      const bulk = await run([one.id], { type: 'state', state: 'closed' });
      const nothing = await run([one.id], { type: 'state', state: 'closed' });
      refused(await clerk.post(`/bulk/${nothing.id as string}/undo`), 409, 'conflict');
      refused(await (await world.agent('auditor')).post(`/bulk/${bulk.id as string}/undo`), 403, 'forbidden');
      const undone = await undo(bulk.id);
      refused(await clerk.post(`/bulk/${undone.id as string}/undo`), 409, 'conflict');
      refused(await clerk.post(`/bulk/${bulk.id as string}/undo`, { more: 1 }), 400, 'invalid', 'more');
      await world.sql('update bulks set finished_at = finished_at - $1 where id = $2', [7 * 24 * hour, bulk.id]);
      refused(await clerk.post(`/bulk/${bulk.id as string}/undo`), 409, 'conflict');
    });
  });

  describe('cancelling', () => {
    it('stops what has not begun, once, by its author alone', async () => {
      const idle = await newWorld({ workers: false });
      try {
        await idle.role('clerk', clerkGrants);
        const [author, auditor] = [await idle.agent('clerk'), await idle.agent('admin')];
        const {
          body: { item: one },
        } = await author.post('/items', { inbox: 'mail', title: 'Stays' });
        const {
          body: { bulk },
        } = await ask([one.id, unknown], { type: 'state', state: 'closed' }, author);
        const path = `/bulk/${bulk.id as string}`;
        refused(await author.post(`${path}/undo`), 409, 'conflict');
        refused(await auditor.post(`${path}/cancel`), 403, 'forbidden');
        const options = { headers: { 'idempotency-key': 'cancel' } };
        const reply = await author.post(`${path}/cancel`, undefined, options);
        expect(reply.status, reply.text).to.equal(200);
        expect(reply.body.bulk).to.deep.include({
          status: 'cancelled',
          total: 2,
          done: 2,
          changed: 0,
          failed: 2,
          startedAt: null,
        });
        expect((await author.get(path)).text).to.equal(reply.text);
        expect((await author.post(`${path}/cancel`, undefined, options)).text).to.equal(reply.text);
        refused(await author.post(`${path}/cancel`), 409, 'conflict');
        expect((await results(bulk.id, '', author)).map(({ outcome }) => outcome)).to.deep.equal([
          'cancelled',
          'cancelled',
        ]);
        expect(
          (await auditor.get(`/audit?target=${bulk.id as string}`)).body.entries.map(
            (entry: { verb: string; outcome: string }) => [entry.verb, entry.outcome],
          ),
        ).to.deep.equal([
          ['bulk.cancel', 'failed'],
          ['bulk.cancel', 'ok'],
          ['bulk.cancel', 'denied'],
          ['bulk.undo', 'failed'],
          ['bulk.create', 'ok'],
        ]);
        expect(await idle.sql('select 1 from staged_jobs where subject = $1', [bulk.id])).to.deep.equal([]);
      } finally {
        await idle.close();
      }
    });
  });
});
