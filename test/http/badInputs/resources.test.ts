/** Bad inputs: records, pages and actions. */
import { expect } from 'chai';
import { withoutDetails, type Reply } from '../../support/http.ts';
import { admin, badInputs, clerk, done, item, refused, run, watched, world } from './badInputs.ts';

badInputs(() => {
  describe('records and pages', () => {
    it('63: resources that are none, or hidden: equal', async () => {
      const texts = new Set<string>();
      for (const resource of [
        'pg_class',
        'constructor',
        '__proto__',
        'toString',
        'vault',
        'x'.repeat(10 * 1024),
        'records%3Bdrop',
        '%00',
        '..%2fcustomer',
      ]) {
        for (const rest of [
          '',
          '?q=one',
          '/list',
          '/list?filters=%7B%22nosuch%22%3A1%7D',
          '/r1',
          '/r1/related/orders',
        ]) {
          const reply = await clerk.get(`/resources/${resource}${rest}`);
          refused(reply, 404, 'not_found');
          texts.add(withoutDetails(reply.text));
        }
      }
      expect(texts.size).to.equal(1);
    });

    const list = (filters: string): Promise<Reply> =>
      clerk.get(`/resources/customer/list?filters=${encodeURIComponent(filters)}`);

    it('64: filters that are none', async () => {
      const nested = (depth: number): string => '{"email":'.repeat(depth) + '1' + '}'.repeat(depth);
      const wrong = [
        '{',
        '',
        ' ',
        '[]',
        '"x"',
        'null',
        '1',
        'true',
        '[{"email":"x"}]',
        nested(3),
        nested(33),
        nested(400),
        '{"$where":"1"}',
        '{"email":{"$ne":null}}',
        '{"email":{"eq":{}}}',
        '{"email":{"in":"x"}}',
        '{"email":{"in":[]}}',
        '{"email":{}}',
        '{"email":{"exists":1}}',
        '{"seats":{"gte":"x"}}',
        '{"seats":{"gte":1e400}}',
        '{"email":"\\u0000"}',
        '{"email":"\\ud800"}',
        '{"__proto__":"x"}',
        '{"constructor":"x"}',
        '{"email":{"__proto__":1}}',
        '{"email":{"toString":1}}',
        `{"email":"${'x'.repeat(9 * 1024)}"}`,
        `{"email":[${Array.from({ length: 1_500 }, () => '"x"').join(',')}]}`,
      ];
      for (const filters of wrong) {
        const reply = await list(filters);
        refused(reply, 400, 'invalid');
        expect(reply.body.details[0].path, filters.slice(0, 60)).to.match(/^filters/);
      }
      const [hidden, unknown] = [await list('{"inner":"x"}'), await list('{"nosuc":"x"}')];
      refused(hidden, 400, 'invalid');
      expect(hidden.text.replaceAll('inner', 'nosuc')).to.equal(unknown.text);
    });

    it('64: more that is none: sorts, limits, cursors, texts', async () => {
      for (const sort of ['inner', 'nosuch', 'email;drop', '--seats', '', '__proto__'])
        refused(await clerk.get(`/resources/customer/list?sort=${encodeURIComponent(sort)}`), 400, 'invalid');
      for (const path of [
        '/resources/customer/list',
        '/resources/customer',
        '/resources/customer/r1/related/orders',
        '/runs',
        '/approvals',
        '/actions',
        '/resources',
        '/pages',
        '/flags',
        '/flags/checkout/history',
      ]) {
        for (const limit of ['0', '-1', '1.5', '201', 'abc', '', '1e2'])
          refused(await clerk.get(`${path}?limit=${limit}`), 400, 'invalid', 'limit');
        refused(await clerk.get(`${path}?limit=1&limit=1`), 400, 'invalid', 'limit');
        refused(await clerk.get(`${path}?nosuch=1`), 400, 'invalid', 'nosuch');
        if (path !== '/resources/customer')
          refused(
            await clerk.get(`${path}?cursor=${Buffer.from('{"id":1}').toString('base64url')}`),
            400,
            'bad_cursor',
          );
      }
      refused(await clerk.get('/resources/customer/r1?historyCursor=x'), 400, 'bad_cursor');
      for (const path of ['/resources/customer', '/resources/customer/list']) {
        for (const q of ['x'.repeat(201), 'x '.repeat(11)])
          refused(await clerk.get(`${path}?q=${encodeURIComponent(q)}`), 400, 'invalid', 'q');
        for (const q of ['%', '_', '\\', "'", 'a & ! b', '"', ':*', '()'])
          expect((await clerk.get(`${path}?q=${encodeURIComponent(q)}`)).body.records, q).to.deep.equal([]);
      }
    });

    it('65: there are no regular expressions: one is no operator, and as a value it is text', async () => {
      for (const op of ['regex', '$regex', 'matches', 'like', '~'])
        refused(await list(JSON.stringify({ email: { [op]: '(a+)+$' } })), 400, 'invalid');
      for (const op of ['eq', 'contains', 'startsWith'])
        expect((await list(JSON.stringify({ email: { [op]: '(a+)+$' } }))).body.records).to.deep.equal([]);
      for (const value of ['%', '_', '\\', "'"])
        expect((await list(JSON.stringify({ email: { contains: value } }))).body.records, value).to.deep.equal([]);
    });

    it('66: relations that are none, or hidden: equal', async () => {
      const texts = new Set<string>();
      for (const relation of ['toString', 'constructor', '__proto__', 'nosuch', 'vaults', '%00', 'x'.repeat(1_000)]) {
        const reply = await clerk.get(`/resources/customer/r1/related/${relation}`);
        refused(reply, 404, 'not_found');
        texts.add(withoutDetails(reply.text));
      }
      expect(texts.size).to.equal(1);
    });

    it('74: params that are none', async () => {
      const wrong = [
        '{"q":1}',
        '{"q":{"a":1}}',
        '{"q":["x"]}',
        '{"q":null}',
        '{',
        '[]',
        '"x"',
        'null',
        '',
        `{"q":"${'x'.repeat(9 * 1024)}"}`,
        '{"nosuch":"x"}',
        '{"__proto__":"x"}',
        '{"constructor":"x"}',
        '{"q":"\\u0000"}',
        '{"q":"\\ud800"}',
        `${'{"q":'.repeat(400)}1${'}'.repeat(400)}`,
      ];
      for (const params of wrong)
        refused(await clerk.get(`/pages/overview?params=${encodeURIComponent(params)}`), 400, 'invalid');
      refused(await clerk.get('/pages/strict'), 400, 'invalid', 'params.must');
      refused(await clerk.get('/pages/strict?params={}'), 400, 'invalid', 'params.must');
      expect(
        (await clerk.get(`/pages/overview?params=${encodeURIComponent('{"q":"<b>{{params.q}}"}')}`)).body.blocks[0]
          .text,
      ).to.equal('About <b>{{params.q}}');
    });

    it('more: records that an app may not give', async () => {
      const key = watched(await world.appKey());
      const wrong = [
        {},
        { title: 'x' },
        { id: '', title: 'x' },
        { id: '.', title: 'x' },
        { id: '..', title: 'x' },
        { id: 'list', title: 'x' },
        { id: 'x'.repeat(201), title: 'x' },
        { id: 'a\u0001', title: 'x' },
        { id: 'x', title: '' },
        { id: 'x', title: 'a\nb' },
        { id: 'x', title: 'x', more: 1 },
        { id: 1, title: 'x' },
        { id: 'x', title: 'x', fields: [] },
        { id: 'x', title: 'x', fields: { a: 'x'.repeat(33 * 1024) } },
        null,
        'x',
      ];
      for (const record of wrong)
        refused(await key.post('/resources/customer/records', { records: [record] }), 400, 'invalid');
      for (const body of [
        { records: {} },
        { deleted: 'x' },
        { deleted: [1] },
        { records: Array.from({ length: 1_001 }, (_, i) => ({ id: String(i), title: 'x' })) },
      ])
        refused(await key.post('/resources/customer/records', body), 400, 'invalid');
      for (const raw of [
        '{"records":[{"id":"x","title":"\\u0000"}]}',
        '{"records":[{"id":"x","title":"x","fields":{"n":1e400}}]}',
        '{"records":[{"id":"x","title":"x","fields":{"__proto__":{"admin":true}}}]}',
      ]) {
        refused(await key.post('/resources/customer/records', undefined, { raw }), 400, 'invalid');
      }
      expect(await world.sql(`select id from records where resource = 'customer'`)).to.have.length(1);
    });
  });

  describe('actions', () => {
    const act = (action: unknown, more: object = {}): Promise<Reply> => clerk.post('/actions', { action, ...more });
    let before = 0;
    beforeEach(() => {
      before = done();
    });
    afterEach('the app saw nothing', () => {
      expect(done()).to.equal(before);
    });

    it('67: actions that are none, or of an unseen resource: equal', async () => {
      const texts = new Set<string>();
      for (const action of [
        'nosuch',
        'unlock',
        '__proto__',
        'constructor',
        'toString',
        '',
        ' ',
        'a b',
        'x'.repeat(10_000),
      ]) {
        const reply = await act(action, { record: 'r1' });
        refused(reply, 404, 'not_found');
        texts.add(withoutDetails(reply.text));
      }
      expect(texts.size).to.equal(1);
      for (const action of [1, null, ['mail'], {}]) refused(await act(action), 400, 'invalid', 'action');
    });

    it('68: confirmed that is neither true nor false, and danger without it', async () => {
      for (const confirmed of ['true', 1, 'yes', {}, [], null])
        refused(await act('erase', { record: 'r1', confirmed }), 400, 'invalid', 'confirmed');
      for (const more of [{}, { confirmed: false }]) {
        const reply = await act('erase', { record: 'r1', ...more });
        refused(reply, 409, 'confirmation_required', 'confirmed');
        expect(reply.text).to.include('high');
      }
    });

    it('69: a record where none is taken, none where one is needed, and one of another resource', async () => {
      refused(await act('upgrade', { record: 'r1' }), 400, 'invalid', 'record');
      refused(await act('mail', { input: { email: 'a@b.c' } }), 400, 'invalid', 'record');
      for (const record of [
        'only_order',
        'nosuch',
        '',
        '.',
        '..',
        'x'.repeat(201),
        'a\u0001b',
        "'; drop table records; --",
      ])
        refused(await act('mail', { record, input: { email: 'a@b.c' } }), 404, 'not_found');
      for (const record of [1, null, {}, ['r1'], { resource: 'customer', id: 'r1' }])
        refused(await act('mail', { record, input: { email: 'a@b.c' } }), 400, 'invalid', 'record');
    });

    it('70: an item that the role can’t see', async () => {
      const hidden = (await admin.post('/items', { inbox: 'secret', title: 'x' })).body.item.id as string;
      const replies = [hidden, 'itm_01jd0000000000000000000000', 'x', ''].map((id) =>
        act('mail', { record: 'r1', input: { email: 'a@b.c' }, item: id }),
      );
      const [one, ...others] = await Promise.all(replies);
      for (const reply of others) expect(reply.text).to.equal(one?.text);
      if (one !== undefined) refused(one, 404, 'not_found');
      for (const item of [1, null, {}, [hidden]])
        refused(await act('mail', { record: 'r1', item }), 400, 'invalid', 'item');
    });

    it('71: input with more, less or other than the action takes', async () => {
      const wrong: readonly [unknown, string][] = [
        [{}, 'input.email'],
        [{ email: 1 }, 'input.email'],
        [{ email: 'a' }, 'input.email'],
        [{ email: 'a@b.c', copies: 'x' }, 'input.copies'],
        [{ email: 'a@b.c', copies: '1' }, 'input.copies'],
        [{ email: 'a@b.c', more: 1 }, 'input.more'],
        [[], 'input'],
        ['x', 'input'],
        [null, 'input'],
        [1, 'input'],
      ];
      for (const [input, path] of wrong) refused(await act('mail', { record: 'r1', input }), 400, 'invalid', path);
      refused(await act('mail', { record: 'r1', input: { email: 'x'.repeat(2 * 1024 * 1024) } }), 413, 'too_large');
      for (const raw of [
        '{"email":"\\u0000abc"}',
        '{"email":"abc","copies":1e400}',
        '{"email":"abc","__proto__":{"admin":true}}',
        `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
      ]) {
        refused(
          await clerk.post('/actions', undefined, { raw: `{"action":"mail","record":"r1","input":${raw}}` }),
          400,
          'invalid',
        );
      }
      refused(await act('mail', { record: 'r1', input: { email: 'a@b.c' }, more: 1 }), 400, 'invalid', 'more');
    });

    it('72: an agent, and an action that needs a fresh sign-in', async () => {
      refused(await act('fresh'), 403, 'fresh_sign_in_required');
      refused(
        await clerk.post('/bulk', { ids: [item.id], operation: { type: 'action', action: 'fresh', input: {} } }),
        [400, 403],
        'fresh_sign_in_required',
      );
    });

    it('73: refs that are none; hidden ones are empty', async () => {
      const ref = { resource: 'customer', id: 'r1' };
      for (const refs of [
        [],
        Array.from({ length: 101 }, () => ref),
        ref,
        'x',
        null,
        [null],
        ['x'],
        [{}],
        [{ resource: 'customer' }],
        [{ id: 'r1' }],
        [{ ...ref, more: 1 }],
        [{ resource: 1, id: 'r1' }],
        [{ ...ref, id: '' }],
        [{ ...ref, id: 'x'.repeat(201) }],
      ]) {
        refused(await clerk.post('/available', { refs }), 400, 'invalid');
      }
      refused(await clerk.post('/available', {}), 400, 'invalid', 'refs');
      const { body } = await clerk.post('/available', {
        refs: [
          { resource: 'vault', id: 'r1' },
          { resource: 'nosuch', id: 'r1' },
          { resource: 'customer', id: 'nosuch' },
        ],
      });
      expect(
        body.available.map(({ actions, unavailable }: { actions: []; unavailable: [] }) => [actions, unavailable]),
      ).to.deep.equal([
        [[], []],
        [[], []],
        [[], []],
      ]);
    });

    it('more: runs that are cancelled or run again in vain', async () => {
      refused(await clerk.post(`/runs/${run}/cancel`), 409, 'conflict');
      refused(await clerk.post(`/runs/${run}/cancel`, { force: true }), 400, 'invalid', 'force');
      refused(await clerk.post(`/runs/${run}/retry`), 409, 'conflict');
      for (const confirmed of ['true', 1, null])
        refused(await clerk.post(`/runs/${run}/retry`, { confirmed }), 400, 'invalid', 'confirmed');
      for (const query of ['status=nosuch', 'status=', 'action=', 'status=failed,queued'])
        refused(await clerk.get(`/runs?${query}`), 400, 'invalid');
      refused(await clerk.get('/runs?action=nosuch'), 404, 'not_found', 'action');
    });
  });
});
