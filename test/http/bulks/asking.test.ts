/** Bulks over HTTP: what is accepted, refused, asked of a person and only tried. */
import { expect } from 'chai';
import type { Reply } from '../../support/http.ts';
import { openBulksWorld, refused, unknown, type BulksWorld } from './bulksWorld.ts';

describe('bulks over HTTP: asking', () => {
  let world: BulksWorld['world'];
  let admin: BulksWorld['admin'];
  let clerk: BulksWorld['clerk'];
  let make: BulksWorld['make'];
  let ask: BulksWorld['ask'];
  let finished: BulksWorld['finished'];
  let run: BulksWorld['run'];
  let item: BulksWorld['item'];

  before(async () => {
    ({ world, admin, clerk, make, ask, finished, run, item } = await openBulksWorld());
  });
  after(() => world.close());

  describe('asking', () => {
    it('does it once under one idempotency key, and answers the same bytes', async () => {
      const one = await make({ tags: ['once'] });
      const options = { headers: { 'idempotency-key': `bulk-${one.id}` } };
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => ask([one.id], { type: 'tags', remove: ['once'] }, clerk, options)),
      );
      expect(new Set(replies.map(({ status, text }) => `${String(status)} ${text}`)).size).to.equal(1);
      const bulk = await finished(replies[0]?.body.bulk.id);
      expect((await ask([one.id], { type: 'tags', remove: ['once'] }, clerk, options)).text).to.equal(replies[0]?.text);
      expect(await item(one)).to.include({ version: 2 });
      expect((await admin.get(`/audit?verb=bulk.create&target=${bulk.id as string}`)).body.entries).to.have.length(1);
      refused(await ask([one.id], { type: 'tags', remove: ['other'] }, clerk, options), 422, 'idempotency_mismatch');
    });

    it('refuses what is not of the right form, naming the place, and does nothing', async () => {
      const one = await make();
      const state = { type: 'state', state: 'closed' };
      refused(await ask([], state), 400, 'invalid', 'ids');
      refused(
        await ask(
          Array.from({ length: 100_001 }, () => one.id),
          state,
        ),
        400,
        'invalid',
        'ids',
      );
      refused(await clerk.post('/bulk', { ids: one.id, operation: state }), 400, 'invalid', 'ids');
      refused(await ask([one.id, null, 1, {}], state), 400, 'invalid', 'ids.1', 'ids.2', 'ids.3');
      refused(
        await ask(
          Array.from({ length: 140_000 }, () => one.id),
          state,
        ),
        413,
        'too_large',
      );
      refused(await ask([one.id], { type: 'delete' }), 400, 'invalid', 'operation.type');
      refused(await ask([one.id], { type: '__proto__' }), 400, 'invalid', 'operation.type');
      refused(await ask([one.id], { type: 'constructor' }), 400, 'invalid', 'operation.type');
      refused(await ask([one.id], { state: 'closed' }), 400, 'invalid', 'operation.type');
      refused(await ask([one.id], 'state'), 400, 'invalid', 'operation');
      refused(await ask([one.id], { type: 'state', add: ['a'] }), 400, 'invalid', 'operation.state', 'operation.add');
      refused(await ask([one.id], { ...state, more: 1 }), 400, 'invalid', 'operation.more');
      refused(await ask([one.id], { type: 'state', state: ['closed'] }), 400, 'invalid', 'operation.state');
      refused(await ask([one.id], { type: 'assign', assignee: '' }), 400, 'invalid', 'operation.assignee');
      refused(await ask([one.id], { type: 'tags' }), 400, 'invalid', 'operation.add');
      refused(await ask([one.id], { type: 'tags', add: ['x'], remove: ['x'] }), 400, 'invalid', 'operation.add.0');
      refused(await ask([one.id], { type: 'snooze', until: 1.7e9 }), 400, 'invalid', 'operation.until');
      refused(await clerk.post('/bulk', { ids: [one.id], operation: state, dryRun: 'yes' }), 400, 'invalid', 'dryRun');
      refused(await clerk.post('/bulk', { ids: [one.id], operation: state, extra: 1 }), 400, 'invalid', 'extra');
      refused(await clerk.post('/bulk', { ids: [one.id] }), 400, 'invalid', 'operation');
      expect(await item(one)).to.include({ version: 1 });
    });

    it('counts an id that is given a thousand times once', async () => {
      const one = await make();
      const bulk = await run(
        Array.from({ length: 1000 }, () => one.id),
        { type: 'state', state: 'waiting' },
      );
      expect(bulk).to.include({ total: 1, changed: 1 });
      expect(await item(one)).to.include({ version: 2 });
    });

    it('refuses agents that may change nothing, and app keys', async () => {
      const { id } = await make();
      refused(
        await ask([id], { type: 'state', state: 'closed' }, await world.agent('clerk', { mode: 'readonly' })),
        403,
        'forbidden',
      );
      refused(await ask([id], { type: 'state', state: 'closed' }, await world.appKey()), 403, 'forbidden');
    });

    it('lets what a supervised agent asks for wait for a person, once for the same request', async () => {
      const { id } = await make();
      const supervised = await world.agent('clerk', { mode: 'supervised' });
      const reply = await ask([id], { type: 'state', state: 'closed' }, supervised);
      expect(reply.status, reply.text).to.equal(202);
      expect(reply.body).to.deep.include({ pending: true });
      expect(reply.body.bulk).to.include({ status: 'pending', total: 1, done: 0 });
      expect((await ask([id], { type: 'state', state: 'closed' }, supervised)).body).to.deep.equal(reply.body);
      const keyed = { headers: { 'idempotency-key': 'asked again' } };
      const again = await ask([id], { type: 'state', state: 'closed' }, supervised, keyed);
      expect((await supervised.post(`/bulk/${String(reply.body.bulk.id)}/cancel`)).body.bulk.status).to.equal(
        'cancelled',
      );
      const replayed = await ask([id], { type: 'state', state: 'closed' }, supervised, keyed);
      expect([replayed.text, replayed.headers.get('idempotent-replayed')]).to.deep.equal([again.text, 'true']);
      expect((await ask([id], { type: 'state', state: 'closed' }, supervised)).body.approval).not.to.equal(
        reply.body.approval,
      );
      expect(await item({ id })).to.include({ version: 1 });
    });

    it('answers for actions what stands before running them', async () => {
      const { id } = await make();
      const act = (action: string, more: object = {}, client = clerk): Promise<Reply> =>
        ask([id], { type: 'action', action, ...more }, client);
      const missing = await act('nosuch');
      refused(missing, 404, 'not_found');
      const unseen = await act('unlock');
      expect([unseen.status, unseen.body.code, unseen.body.error], 'of an unseen resource').to.deep.equal([
        missing.status,
        missing.body.code,
        missing.body.error,
      ]);
      refused(await act('forbidden'), 403, 'forbidden');
      refused(await act('sign'), 403, 'fresh_sign_in_required');
      refused(await act('ping'), 400, 'invalid', 'operation.action');
      refused(await act('refund'), 409, 'confirmation_required', 'operation.confirmed');
      refused(await act('refund', { confirmed: 'true' }), 400, 'invalid', 'operation.confirmed');
    });

    it('says with dryRun what would happen, and does nothing', async () => {
      const [own, closed, readOnly, hidden, oneWay] = [
        await make(),
        await make(),
        await make({ inbox: 'bugs' }),
        await make({ inbox: 'secret' }),
        await make({ inbox: 'oneWay' }),
      ];
      await admin.post(`/items/${closed.id}/state`, { state: 'closed' });
      const ids = [own.id, own.id, closed.id, readOnly.id, hidden.id, unknown, oneWay.id];
      const before = await world.sql(
        'select (select count(*) from bulks) as bulks, (select count(*) from events) as events',
      );
      const reply = await clerk.post('/bulk', { ids, operation: { type: 'state', state: 'closed' }, dryRun: true });
      expect(reply.status).to.equal(200);
      expect(reply.body).to.deep.equal({
        bulk: null,
        matched: 4,
        pending: false,
        would: 'run',
        wouldChange: 1,
        unchanged: 1,
        forbidden: 1,
        notFound: 2,
        failed: 1,
        problems: [
          { code: 'not_found', message: 'There is nothing here that you can see.', count: 2 },
          { code: 'forbidden', message: 'Your role does not allow state in the inbox bugs.', count: 1 },
          { code: 'invalid', message: 'state: must be one of new, old', count: 1 },
        ],
      });
      const reader = await world.agent('clerk', { mode: 'readonly' });
      expect(
        await world.sql('select (select count(*) from bulks) as bulks, (select count(*) from events) as events'),
      ).to.deep.equal(before);
      refused(
        await reader.post('/bulk', { ids, operation: { type: 'state', state: 'closed' }, dryRun: true }),
        403,
        'forbidden',
      );
      expect(await item(own)).to.include({ version: 1 });
    });
  });
});
