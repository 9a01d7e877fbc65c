/** Bad inputs: GET /items. */
import { expect } from 'chai';
import { withoutDetails, type Reply } from '../../support/http.ts';
import { admin, badInputs, clerk, count, create, item, noted, refused, world } from './badInputs.ts';

badInputs(() => {
  describe('GET /items', () => {
    const rows: readonly [string, readonly string[], string][] = [
      [
        '32: limits that are none',
        [
          'limit=0',
          'limit=-1',
          'limit=1.5',
          'limit=1e2',
          'limit=0x10',
          'limit=abc',
          'limit=',
          'limit=%201',
          'limit=01',
          'limit=+5',
        ],
        'limit',
      ],
      ['34: a parameter twice', ['limit=1&limit=2', 'limit=1&limit=1', 'limit=1&%6cimit=2'], 'limit'],
      [
        '35: sorts that are none',
        [
          'sort=password',
          'sort=--title',
          'sort=title;drop',
          'sort=',
          'sort=-',
          'sort=lastseen',
          'sort=title,due',
          'sort=constructor',
        ],
        'sort',
      ],
      ['40: 1,000 tags', [`tags=${Array.from({ length: 1000 }, (_, i) => `t${String(i)}`).join(',')}`], 'tags'],
      [
        '41: a person who is none',
        ['assignee=None', 'assignee=', 'assignee=null', 'assignee=per_x', 'assignee=agt_01jd0000000000000000000000'],
        'assignee.0',
      ],
      [
        '42: overdue that is neither 1 nor 0',
        ['overdue=true', 'overdue=2', 'overdue=yes', 'overdue=', 'overdue=01'],
        'overdue',
      ],
      [
        '44: a search of 10,000 characters or of many words',
        [`search=${'x'.repeat(10_000)}`, `search=${'x%20'.repeat(2_000)}`, `search=${'x%20'.repeat(11)}`],
        'search',
      ],
      ['more: a search without a word would find everything', ['search=%20', 'search=%09%20'], 'search'],
    ];
    for (const [title, queries, path] of rows) {
      it(title, async () => {
        for (const query of queries) refused(await clerk.get(`/items?${query}`), 400, 'invalid', path);
      });
    }

    it('33: limits beyond the maximum, which is named', async () => {
      for (const limit of ['201', '99999999999999999999', '9007199254740993']) {
        const reply = await clerk.get(`/items?limit=${limit}`);
        refused(reply, 400, 'invalid', 'limit');
        expect(reply.text).to.include('200');
      }
    });

    it('36: sort=-due with items without a deadline, paged: each once', async () => {
      for (let i = 0; i < 7; i++) await admin.post('/items', { inbox: i % 2 === 0 ? 'mail' : 'refunds', title: 'due' });
      const ids: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const reply: Reply = await clerk.get(`/items?sort=-due&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
        ids.push(...reply.body.items.map((listed: { id: string }) => listed.id));
        cursor = reply.body.cursor;
      }
      expect(ids).to.have.length(await count());
      expect(new Set(ids).size).to.equal(ids.length);
    });

    it('37: a cursor with a flipped bit, cut, or made up', async () => {
      await create({});
      const { cursor } = (await clerk.get('/items?limit=1')).body as { cursor: string };
      const flipped = `${cursor.slice(0, 5)}${cursor[5] === 'A' ? 'B' : 'A'}${cursor.slice(6)}`;
      for (const bad of [
        flipped,
        cursor.slice(0, 10),
        cursor.slice(1),
        Buffer.from('{"id":1}').toString('base64'),
        'x',
        '..',
        '%00x',
      ]) {
        refused(await clerk.get(`/items?limit=1&cursor=${encodeURIComponent(bad)}`), 400, 'bad_cursor');
      }
    });

    it('38: a cursor from other filters, another role, another environment', async () => {
      const { cursor } = (await clerk.get('/items?inbox=mail&limit=1')).body as { cursor: string };
      refused(await clerk.get(`/items?inbox=refunds&limit=1&cursor=${cursor}`), 400, 'bad_cursor');
      refused(await admin.get(`/items?inbox=mail&limit=1&cursor=${cursor}`), 400, 'bad_cursor');
      const both = await world.agent('clerk', { environments: ['*'] });
      refused(
        noted(await world.elsewhere(both, 'staging').get(`/items?inbox=mail&limit=1&cursor=${cursor}`)),
        400,
        'bad_cursor',
      );
    });

    it('39: states that are none', async () => {
      for (const query of [
        'state=',
        'state=,',
        'state=nosuch',
        'state=open,nosuch',
        `state=${Array.from({ length: 1000 }, (_, i) => `s${String(i)}`).join(',')}`,
        'state=constructor',
        'state=open;',
      ]) {
        expect((await clerk.get(`/items?${query}`)).body.code, query.slice(0, 50)).to.equal('invalid');
      }
    });

    it('41: an unknown person and a hidden one: the same empty page', async () => {
      await world.role('stranger', [{ on: 'inbox:secret', can: ['see'] }]);
      const hidden = await world.person('stranger');
      const [unknown, other] = [
        await clerk.get('/items?assignee=per_01jd0000000000000000000000'),
        await clerk.get(`/items?assignee=${hidden.id}`),
      ];
      expect([unknown.status, unknown.text]).to.deep.equal([200, '{"items":[],"cursor":null}']);
      expect(other.text).to.equal(unknown.text);
    });

    it('43: signs that mean something elsewhere are taken literally', async () => {
      for (const search of [
        '%',
        '_',
        '\\',
        "'",
        'a & ! b',
        '"',
        "x' or '1'='1",
        ':*',
        '<->',
        '|',
        '()',
        '$1',
        '\\0',
        "\\'",
        '*',
        '?',
      ]) {
        const reply = await clerk.get(`/items?search=${encodeURIComponent(search)}`);
        expect([search, reply.status, reply.body.items]).to.deep.equal([search, 200, []]);
      }
    });

    it('45: views that are none', async () => {
      for (const view of ['__proto__', 'constructor', '../x', 'toString'])
        refused(await clerk.get(`/items?view=${encodeURIComponent(view)}`), 404, 'not_found');
    });

    it('47: ids that are none', async () => {
      const ids = [
        'null',
        'undefined',
        '0',
        '-1',
        '9223372036854775808',
        'x'.repeat(10 * 1024),
        '%2F',
        '%F0%9F%98%80',
        '%ZZ',
        '%00',
        '%',
        item.id.toUpperCase(),
        `${item.id}x`,
        `${item.id}%20`,
        `${item.id}%0a`,
        'per_01jd0000000000000000000000',
        '__proto__',
        '..%2f..',
        "'; drop table items; --",
      ];
      const texts = new Set<string>();
      for (const id of ids) {
        for (const path of [
          `/items/${id}`,
          `/items/${id}/timeline`,
          `/bulk/${id}`,
          `/bulk/${id}/results`,
          `/runs/${id}`,
          `/approvals/${id}`,
          `/flags/${id}`,
          `/pages/${id}`,
          `/resources/${id}`,
          `/resources/customer/${id}`,
        ]) {
          const reply = await clerk.get(path);
          refused(reply, 404, 'not_found');
          // Names are looked for among those of their own kind.
          texts.add(withoutDetails(reply.text));
        }
        refused(await clerk.post(`/items/${id}/state`, { state: 'open' }), 404, 'not_found');
      }
      expect(texts.size).to.equal(1);
    });
  });
});
