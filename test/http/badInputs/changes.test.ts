/** Bad inputs: changes of items, one by one and in bulk. */
import { expect } from 'chai';
import { type Reply } from '../../support/http.ts';
import { admin, badInputs, change, clerk, create, item, refused, version, watched, world } from './badInputs.ts';

badInputs(() => {
  describe('changes of an item', () => {
    const rows: readonly [string, string, readonly unknown[], string?][] = [
      [
        '48: states that are none',
        'state',
        [
          {},
          { state: 1 },
          { state: ['open'] },
          { state: { $ne: 1 } },
          { state: 'nosuch' },
          { state: null },
          { state: '' },
          { state: 'open', more: 1 },
        ],
      ],
      [
        '50: assignees that are none',
        'assign',
        [{}, { assignee: '' }, { assignee: 0 }, { assignee: false }, { assignee: ['per_x'] }, { assignee: {} }],
      ],
      [
        '52: tags that are none',
        'tags',
        [
          {},
          { add: [] },
          { add: ['a'], remove: ['a'] },
          { add: Array.from({ length: 51 }, (_, i) => `t${String(i)}`) },
          { add: ['a,b'] },
          { add: ['a\u0000'] },
          { add: 'x' },
          { add: [''] },
          { add: [' '] },
          { add: [1] },
          { add: null },
        ],
      ],
      [
        '53: times that are none',
        'snooze',
        [-1, 0, 1, 1.5, '1', true, 8.64e15 + 1, 9e15, 1.7e9, Date.now() - 1000, [], {}].map((until) => ({ until })),
      ],
      ['53: no time', 'snooze', [{}]],
      [
        '54: notes that are none',
        'notes',
        [
          {},
          { text: '' },
          { text: '   ' },
          { text: '\n'.repeat(100_000) },
          { text: 'x'.repeat(64 * 1024 + 1) },
          { text: 'é'.repeat(33 * 1024) },
          { text: 1 },
          { text: null },
          { text: 'x\n'.repeat(10_000) },
        ],
      ],
      [
        '55: subjects of more than a line',
        'reply',
        ['a\r\nBcc: x@y.z', 'a\nb', 'a\rb', 'a\u0000', '', '  ', 'x'.repeat(501), 'tab\tbed'].map((subject) => ({
          subject,
          text: 'x',
        })),
        'subject',
      ],
      [
        '56: no text, or an unknown member',
        'reply',
        [{ subject: 'x' }, {}, { subject: 'x', text: 'x', to: 'evil@example.com' }],
      ],
    ];
    for (const [title, verb, bodies, path] of rows) {
      it(title, async () => {
        const before = await version();
        for (const body of bodies)
          refused(await change(verb, body), 400, 'invalid', ...(path === undefined ? [] : [path]));
        expect(await version()).to.equal(before);
      });
    }

    it('53: a time too large to be a number', async () => {
      refused(
        await clerk.post(`/items/${item.id}/snooze`, undefined, { raw: '{"until":1e400}' }),
        400,
        'invalid',
        'until',
      );
      expect((await change('snooze', { until: 8.64e15 })).status).to.equal(200);
      expect((await change('snooze', { until: null })).status).to.equal(200);
    });

    it('49: the same state again', async () => {
      // Each answer says anew when it was read.
      const read = async () => ({ ...(await admin.get(`/items/${item.id}`)).body, seen: null });
      const before = await read();
      const outbox = async () => (await world.sql('select id from events')).length;
      const events = await outbox();
      const reply = await change('state', { state: before.item.state });
      expect([reply.status, reply.body.changed]).to.deep.equal([200, false]);
      expect(await read()).to.deep.equal(before);
      expect(await outbox()).to.equal(events);
    });

    it('51: an unknown person and one who can’t see the inbox', async () => {
      await world.role('secretive', [{ on: 'inbox:secret', can: ['see'] }]);
      const hidden = await world.person('secretive');
      const [unknown, unseeing] = [
        await change('assign', { assignee: 'per_01jd0000000000000000000000' }),
        await change('assign', { assignee: hidden.id }),
      ];
      refused(unknown, 400, 'invalid', 'assignee');
      expect(unseeing.text).to.equal(unknown.text);
    });

    it('54: a note of 1 MiB, and one with markup, which is kept as it is', async () => {
      refused(await change('notes', { text: 'x'.repeat(1024 * 1024) }), 413, 'too_large');
      expect((await change('notes', { text: '<script>' })).body.entry.data.text).to.equal('<script>');
    });

    it('56: a role without reply', async () => {
      const viewer = watched(await world.agent('viewer'));
      refused(await viewer.post(`/items/${item.id}/reply`, { subject: 'x', text: 'x' }), 403, 'forbidden');
    });
  });

  describe('POST /bulk', () => {
    const state = { type: 'state', state: 'waiting' };
    const send = (ids: unknown, operation: unknown = state, more: object = {}): Promise<Reply> =>
      clerk.post('/bulk', { ids, operation, ...more });
    const bulks = async (): Promise<number> => (await world.sql('select id from bulks')).length;

    it('57: ids that are none', async () => {
      const before = await bulks();
      const ids = [
        [],
        Array.from({ length: 100_001 }, (_, i) => `x${String(i)}`),
        item.id,
        null,
        { 0: item.id },
        [null],
        [1],
        [{}],
        [[item.id]],
        [item.id, null],
      ];
      for (const given of ids) refused(await send(given), 400, 'invalid');
      refused(await clerk.post('/bulk', { operation: state }), 400, 'invalid', 'ids');
      expect(await bulks()).to.equal(before);
    });

    it('58: 70,000 ids, and more than a body may hold', async () => {
      const { status, body } = await send(Array.from({ length: 70_000 }, (_, i) => String(i)));
      expect([status, body.bulk.total]).to.deep.equal([202, 70_000]);
      refused(await send(Array.from({ length: 150_000 }, () => item.id)), 413, 'too_large');
    });

    it('59: the same id 1,000 times: one change', async () => {
      const {
        body: { item: own },
      } = await create({});
      const reply = await send(
        Array.from({ length: 1_000 }, () => own.id),
        { type: 'tags', add: ['once'], remove: [] },
      );
      expect([reply.status, reply.body.bulk.total]).to.deep.equal([202, 1]);
      await world.settled();
      expect((await clerk.get(`/items/${String(own.id)}`)).body.item.version).to.equal(2);
    });

    it('60: own, hidden and unknown ids: a result each, hidden like unknown', async () => {
      const hidden = (await admin.post('/items', { inbox: 'secret', title: 'x' })).body.item.id as string;
      const own = (await create({})).body.item.id as string;
      const reply = await send([own, hidden, 'itm_01jd0000000000000000000000', 'nonsense', '\u2028']);
      await world.settled();
      const { results } = (await clerk.get(`/bulk/${String(reply.body.bulk.id)}/results`)).body as {
        results: { id: string; outcome: string }[];
      };
      expect(results.map(({ outcome }) => outcome)).to.deep.equal([
        'changed',
        'not_found',
        'not_found',
        'not_found',
        'not_found',
      ]);
      const [, one, other] = results;
      expect({ ...one, id: '' }).to.deep.equal({ ...other, id: '' });
      expect((await admin.get(`/items/${hidden}`)).body.item.version).to.equal(1);
    });

    it('61: operations that are none', async () => {
      const operations = [
        { type: 'delete' },
        { type: '__proto__' },
        { type: 'constructor' },
        {},
        null,
        'state',
        [],
        { type: 'state', add: ['x'] },
        { type: 'state', state: 'open', add: ['x'] },
        { type: 'tags' },
        { type: 'tags', add: 'x' },
        { type: 'snooze', until: 1 },
        { type: ['state'], state: 'open' },
        { state: 'open' },
        { type: 'note', text: 'x' },
      ];
      for (const operation of operations) refused(await send([item.id], operation), 400, 'invalid');
      refused(await send([item.id], state, { dryRun: 'true' }), 400, 'invalid', 'dryRun');
      refused(
        await send([item.id], { type: 'state', sate: 'open' }),
        400,
        'invalid',
        'operation.sate',
        'operation.state',
      );
    });

    it('62: a dangerous action without confirmation: nothing is made', async () => {
      const before = await bulks();
      const erase = { type: 'action', action: 'erase', input: {} };
      const reply = await send([item.id], erase);
      refused(reply, 409, 'confirmation_required');
      expect(reply.text).to.include('high');
      refused(await send([item.id], { ...erase, confirmed: false }), 409, 'confirmation_required');
      for (const confirmed of ['true', 1, 'yes', {}, []])
        refused(await send([item.id], { ...erase, confirmed }), 400, 'invalid', 'operation.confirmed');
      expect(await bulks()).to.equal(before);
    });
  });
});
