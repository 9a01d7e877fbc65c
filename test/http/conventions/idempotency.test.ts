/** Conventions over HTTP: idempotency keys. */
import { expect } from 'chai';
import { request } from '../../support/http.ts';
import { head, raw } from '../../support/raw.ts';
import { keyed, openConventionsWorld, refused, type ConventionsWorld } from './conventionsWorld.ts';

describe('conventions over HTTP: repeats', () => {
  let world: ConventionsWorld['world'];
  let admin: ConventionsWorld['admin'];
  let clerk: ConventionsWorld['clerk'];
  let make: ConventionsWorld['make'];
  let fetched: ConventionsWorld['fetched'];

  before(async () => {
    ({ world, admin, clerk, make, fetched } = await openConventionsWorld());
  });
  after(() => world.close());

  describe('idempotency keys', () => {
    it('answer the saved status, bytes and etag with idempotent-replayed, and do nothing again', async () => {
      const body = { inbox: 'mail', title: 'Once', key: 'once' };
      const first = await clerk.post('/items', body, keyed('k1'));
      const again = await clerk.post('/items', body, keyed('k1'));
      expect([first.status, again.status]).to.deep.equal([201, 201]);
      expect(again.text).to.equal(first.text);
      expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).to.deep.equal([
        null,
        'true',
      ]);
      expect(again.headers.get('etag')).to.equal(first.headers.get('etag'));
      expect((await fetched(first.body.item)).item.occurrences).to.equal(1);
    });

    it('hold for each kind of change of an item', async () => {
      const item = await make();
      const bodies = {
        state: { state: 'waiting' },
        assign: { assignee: null },
        tags: { add: ['x'] },
        snooze: { until: Date.now() + 3_600_000 },
        notes: { text: 'x' },
        reply: { subject: 'x', text: 'y' },
        triage: { answers: { a: 1 } },
      };
      for (const [verb, body] of Object.entries(bodies)) {
        const [first, second] = [
          await clerk.post(`/items/${item.id}/${verb}`, body, keyed(`verb-${verb}`)),
          await clerk.post(`/items/${item.id}/${verb}`, body, keyed(`verb-${verb}`)),
        ];
        expect(second.text, verb).to.equal(first.text);
        expect([second.status, second.headers.get('idempotent-replayed')], verb).to.deep.equal([first.status, 'true']);
      }
      expect((await fetched(item)).timeline.map((entry: { type: string }) => entry.type)).to.deep.equal([
        'triage',
        'reply',
        'note',
        'snoozed',
        'tags',
        'state',
        'created',
      ]);
    });

    it('keep an answer of changed false too', async () => {
      const item = await make();
      const first = await clerk.post(`/items/${item.id}/state`, { state: 'open' }, keyed('unchanged'));
      await clerk.post(`/items/${item.id}/state`, { state: 'closed' });
      const again = await clerk.post(`/items/${item.id}/state`, { state: 'open' }, keyed('unchanged'));
      expect(again.text).to.equal(first.text);
      expect((await fetched(item)).item.state).to.equal('closed');
    });

    it('refuse another body, path or method with 422', async () => {
      const item = await make();
      await clerk.post(`/items/${item.id}/notes`, { text: 'one' }, keyed('mismatch'));
      refused(
        await clerk.post(`/items/${item.id}/notes`, { text: 'two' }, keyed('mismatch')),
        422,
        'idempotency_mismatch',
      );
      refused(
        await clerk.post(`/items/${item.id}/tags`, { add: ['one'] }, keyed('mismatch')),
        422,
        'idempotency_mismatch',
      );
      refused(
        await clerk.post(`/items/${(await make()).id}/notes`, { text: 'one' }, keyed('mismatch')),
        422,
        'idempotency_mismatch',
      );
      expect((await fetched(item)).timeline).to.have.length(2);
    });

    it('are each principal’s own', async () => {
      const body = { inbox: 'mail', title: 'Of two' };
      const [one, other] = [
        await clerk.post('/items', body, keyed('shared')),
        await admin.post('/items', body, keyed('shared')),
      ];
      expect(one.body.item.id).not.to.equal(other.body.item.id);
    });

    it('are left free by every failure', async () => {
      const item = await make();
      const send = (body: object, id = item.id) => clerk.post(`/items/${id}/state`, body, keyed('free'));
      refused(await send({ state: 7 }), 400, 'invalid');
      refused(await send({ state: 'nosuch' }), 400, 'invalid');
      refused(await send({ state: 'open' }, 'itm_01jd0000000000000000000000'), 404, 'not_found');
      refused(
        await clerk.post(`/items/${item.id}/state`, { state: 'closed' }, keyed('free', { 'if-match': '"9"' })),
        412,
        'version_conflict',
      );
      expect((await send({ state: 'closed' })).status).to.equal(200);
    });

    it('make one effect of many parallel calls, across processes too, and all get the same bytes', async () => {
      const second = await world.api();
      const item = await make();
      const path = `/items/${item.id}/notes`;
      const at = [clerk.base, second.base('demo')];
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          request('POST', `${at[i % 2] ?? ''}${path}`, { text: 'parallel' }, clerk.token, keyed('parallel')),
        ),
      );
      expect(replies.map((reply) => reply.status)).to.deep.equal(Array.from({ length: 100 }, () => 201));
      expect(new Set(replies.map((reply) => reply.text)).size).to.equal(1);
      expect((await fetched(item)).timeline).to.have.length(2);
    });

    it('hold for 24 hours', async () => {
      const body = { inbox: 'mail', title: 'Tomorrow' };
      const first = await clerk.post('/items', body, keyed('day'));
      const age = (ms: number) =>
        world.sql(`update idempotency_keys set created_at = created_at - $1 where key = 'day'`, [ms]);
      await age(86_400_000 - 60_000);
      expect((await clerk.post('/items', body, keyed('day'))).text).to.equal(first.text);
      await age(60_000);
      const next = await clerk.post('/items', body, keyed('day'));
      expect(next.headers.get('idempotent-replayed')).to.equal(null);
      expect(next.body.item.id).not.to.equal(first.body.item.id);
    });

    it('must be 1 to 255 printable characters, once', async () => {
      const body = { inbox: 'mail', title: 'x' };
      for (const key of ['', ' ', 'x'.repeat(256), 'é'])
        refused(await clerk.post('/items', body, keyed(key)), 400, 'invalid', 'idempotency-key');
      const two = await raw(
        world.port,
        `${head('POST /api/env/demo/items HTTP/1.1', `authorization: Bearer ${clerk.token}`, 'content-type: application/json', 'idempotency-key: a', 'idempotency-key: b', 'content-length: 2')}{}`,
      );
      refused(two, 400, 'invalid', 'idempotency-key');
      expect((await clerk.post('/items', body, keyed('x'.repeat(255)))).status).to.equal(201);
    });

    it('are refused where an answer must not be kept', async () => {
      refused(await clerk.post('/live/tickets', {}, keyed('ticket')), 400, 'invalid', 'idempotency-key');
    });

    it('are ignored by reads', async () => {
      expect((await clerk.get('/items?limit=1', keyed('read'))).status).to.equal(200);
    });
  });
});
