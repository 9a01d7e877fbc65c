/** Records over HTTP: search and lists. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Client, Reply } from '../../support/http.ts';
import type { World } from '../../support/world.ts';
import { idsOf, json, openRecordsWorld, type RecordsWorld } from './recordsWorld.ts';

describe('records over HTTP: finding', () => {
  let world: World;
  let app: Client;
  let admin: Client;
  let clerk: Client;
  let put: RecordsWorld['put'];

  before(async () => {
    ({ world, app, admin, clerk, put } = await openRecordsWorld());
  });
  after(() => world.close());

  describe('search', () => {
    it('finds ids, titles, subtitles and searched fields, best match first', async () => {
      expect(idsOf(await clerk.get('/resources/customer?q=c_07'))).to.deep.equal(['c_07']);
      expect(idsOf(await clerk.get('/resources/customer?q=customer%2012'))).to.deep.equal(['c_12']);
      expect(idsOf(await clerk.get('/resources/customer?q=lindg'))).to.deep.equal(['c_03']);
      expect(idsOf(await clerk.get('/resources/customer?q=c11%40example.com'))).to.deep.equal(['c_11']);
      expect(idsOf(await clerk.get('/resources/customer?q=Team'))).to.deep.equal([]);
      expect(idsOf(await clerk.get('/resources/customer?q=C_0&limit=3'))).to.deep.equal(['c_00', 'c_01', 'c_02']);
      expect(idsOf(await clerk.get('/resources/customer'))).to.have.length(30);
      for (const q of ['%', '_', '\\', "'", 'a & ! b', '"', ':*'])
        expect(idsOf(await clerk.get(`/resources/customer?q=${encodeURIComponent(q)}`)), q).to.deep.equal([]);
    });

    it('orders records of one title by their id, whatever order they were stored in', async () => {
      const ids = ['twin_3', 'twin_1', 'twin_4', 'twin_2'];
      for (const id of ids) await put('order', [{ id, title: 'One of several', fields: {} }]);
      expect(idsOf(await clerk.get('/resources/order?q=several'))).to.deep.equal([...ids].sort());
      await put('order', [], ids);
    });

    it('answers at most 50, and takes limits like every list; there is no second page', async () => {
      const more = Array.from({ length: 51 }, (_, n) => ({
        id: `more_${String(n)}`,
        title: `More ${String(n)}`,
        fields: {},
      }));
      await put('order', more);
      for (const limit of [50, 51, 200]) {
        const { records, cursor } = (await clerk.get(`/resources/order?q=more&limit=${String(limit)}`)).body;
        expect(records).to.have.length(50);
        expect(cursor).to.equal(null);
      }
      const { cursor } = (await clerk.get('/resources/order/list')).body;
      expect((await clerk.get(`/resources/order?q=more&cursor=${String(cursor)}`)).body).to.include({
        code: 'bad_cursor',
      });
      await app.post('/resources/order/records', { deleted: more.map(({ id }) => id) });
    });

    it('refuses more than 200, 200 characters and 10 words', async () => {
      for (const query of [
        'limit=201',
        'limit=0',
        `q=${'x'.repeat(201)}`,
        `q=${Array.from({ length: 11 }, () => 'a').join('%20')}`,
        'q=',
        'search=x',
        'q=a&q=b',
      ]) {
        expect((await clerk.get(`/resources/customer?${query}`)).body, query).to.include({ code: 'invalid' });
      }
    });
  });

  describe('lists', () => {
    const filtered = (filters: unknown, more = ''): Promise<Reply> =>
      clerk.get(`/resources/customer/list?filters=${json(filters)}${more}`);

    it('filters by every op, all of them together', async () => {
      expect(idsOf(await filtered({ plan: 'Team', seats: { lt: 10 } }))).to.deep.equal([
        'c_00',
        'c_03',
        'c_06',
        'c_09',
      ]);
      expect(idsOf(await filtered({ seats: [4, 5, 99] }))).to.deep.equal(['c_04', 'c_05']);
      expect(idsOf(await filtered({ seats: { gte: 3, lte: 4 }, plan: { ne: 'Team' } }))).to.deep.equal(['c_04']);
      expect(idsOf(await filtered({ email: { startsWith: 'c2' }, seats: { nin: [2, 20] } }))).to.deep.equal([
        'c_21',
        'c_22',
        'c_23',
        'c_24',
        'c_25',
        'c_26',
        'c_27',
        'c_28',
        'c_29',
      ]);
      expect(idsOf(await filtered({ email: { contains: '.com' }, vip: true }))).to.deep.equal(['c_00', 'c_01']);
      expect(idsOf(await filtered({ mrr: { exists: false }, seats: { lt: 4 } }))).to.deep.equal(['c_01', 'c_03']);
      expect(idsOf(await filtered({ mrr: { gt: 300 } }))).to.deep.equal([]);
      expect(idsOf(await filtered({ email: { contains: '%' } }))).to.deep.equal([]);
      expect(idsOf(await filtered({ seats: { lt: 10 } }, '&q=Customer%200&sort=-seats&limit=2'))).to.deep.equal([
        'c_09',
        'c_08',
      ]);
    });

    it('sorts both ways, without the field last, and pages each record once', async () => {
      for (const sort of [
        'title',
        '-title',
        'id',
        '-id',
        'updatedAt',
        '-updatedAt',
        'seats',
        '-mrr',
        'mrr',
        'plan',
        '-plan',
        'since',
      ]) {
        const ids: string[] = [];
        for (let cursor = ''; ;) {
          const reply = await clerk.get(`/resources/customer/list?sort=${sort}&limit=7${cursor}`);
          ids.push(...idsOf(reply));
          if (reply.body.cursor === null) break;
          cursor = `&cursor=${String(reply.body.cursor)}`;
        }
        expect(new Set(ids).size, sort).to.equal(30);
        expect(ids, sort).to.have.length(30);
        if (sort === '-mrr')
          expect([ids[0], ids[14], ids[15], ids[29]]).to.deep.equal(['c_28', 'c_00', 'c_29', 'c_01']);
        if (sort === 'mrr') expect([ids[0], ids[14], ids[15], ids[29]]).to.deep.equal(['c_00', 'c_28', 'c_01', 'c_29']);
      }
    });

    it('refuses a cursor of another query, role or resource', async () => {
      const { cursor } = (await clerk.get('/resources/customer/list?limit=5')).body;
      for (const [client, path] of [
        [clerk, `customer/list?limit=5&sort=-title&cursor=${String(cursor)}`],
        [clerk, `customer/list?q=a&cursor=${String(cursor)}`],
        [admin, `customer/list?cursor=${String(cursor)}`],
        [clerk, `order/list?cursor=${String(cursor)}`],
        [clerk, 'customer/list?cursor=x'],
      ] as const) {
        expect((await client.get(`/resources/${path}`)).body, path).to.include({ code: 'bad_cursor' });
      }
    });

    const deep = Array.from({ length: 40 }).reduce<string>((inner) => `{"a":${inner}}`, '1');
    const bad: readonly [string, string][] = [
      ['{', 'filters'],
      ['[]', 'filters'],
      ['"x"', 'filters'],
      ['null', 'filters'],
      [`{"plan":"${'x'.repeat(9_000)}"}`, 'filters'],
      [deep, 'filters'],
      ['{"$where":"1"}', 'filters.$where'],
      ['{"nosuch":1}', 'filters.nosuch'],
      ['{"inner":"x"}', 'filters.inner'],
      ['{"__proto__":"x"}', 'filters.__proto__'],
      ['{"seats":"5"}', 'filters.seats'],
      ['{"plan":5}', 'filters.plan'],
      ['{"vip":"true"}', 'filters.vip'],
      ['{"plan":null}', 'filters.plan'],
      ['{"plan":[]}', 'filters.plan'],
      ['{"plan":{}}', 'filters.plan'],
      ['{"plan":{"regex":"(a+)+$"}}', 'filters.plan.regex'],
      ['{"plan":{"constructor":1}}', 'filters.plan.constructor'],
      ['{"vip":{"lt":true}}', 'filters.vip.lt'],
      ['{"seats":{"contains":"1"}}', 'filters.seats.contains'],
      ['{"seats":{"in":5}}', 'filters.seats.in'],
      ['{"plan":{"exists":1}}', 'filters.plan.exists'],
    ];
    for (const [filters, path] of bad) {
      it(`refuses filters=${filters.slice(0, 40)}, naming ${path}`, async () => {
        const { status, body } = await clerk.get(`/resources/customer/list?filters=${encodeURIComponent(filters)}`);
        expect(status).to.equal(400);
        expect(body.code).to.equal('invalid');
        expect(body.details[0].path).to.match(new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('$', '\\$')}`));
      });
    }

    it('names each offending path of the filters at once', async () => {
      const { status, body } = await filtered({
        nosuch: 1,
        seats: { gte: '5', like: 1 },
        plan: ['Team', 5, null],
        vip: { exists: 1 },
      });
      expect([status, body.code]).to.deep.equal([400, 'invalid']);
      expect(body.details.map(({ path }: { path: string }) => path)).to.deep.equal([
        'filters.nosuch',
        'filters.seats.gte',
        'filters.seats.like',
        'filters.plan.1',
        'filters.plan.2',
        'filters.vip.exists',
      ]);
    });

    it('takes as many values of a field as its 8 KiB hold', async () => {
      const others = Array.from({ length: 990 }, (_, n) => `p${String(n)}`);
      const [any, none] = [
        await filtered({ plan: [...others, 'Team'] }),
        await filtered({ plan: { nin: [...others, 'Team'] } }),
      ];
      expect([any.status, none.status], any.text).to.deep.equal([200, 200]);
      expect(any.body.records.every((record: { fields: { plan: string } }) => record.fields.plan === 'Team')).to.equal(
        true,
      );
      expect([idsOf(any).length > 0, idsOf(any).some((id) => idsOf(none).includes(id))]).to.deep.equal([true, false]);
    });

    it('takes any value in a filter, a search or a sort for what it is: 200 or 400, never 5xx', async () => {
      const text = fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 12 }),
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.constantFrom(
          '" || 1==1 || "',
          '\\',
          '\\u0000',
          '$.x',
          '"',
          "'",
          '\u001e',
          '\u2028',
          '*',
          '(',
          ':*',
          '!',
          '&',
          '|',
          '<->',
        ),
      );
      const value = fc.oneof(
        text,
        fc.double(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(text, { maxLength: 3 }),
        fc.constantFrom(1e308, -1e308, 5e-324, -0),
      );
      const op = fc.constantFrom(
        'eq',
        'ne',
        'in',
        'nin',
        'lt',
        'lte',
        'gt',
        'gte',
        'contains',
        'startsWith',
        'exists',
        'like',
      );
      const filters = fc.dictionary(
        fc.constantFrom('email', 'plan', 'seats', 'mrr', 'since', 'vip'),
        fc.oneof(value, fc.dictionary(op, value, { maxKeys: 2 })),
        { maxKeys: 3, noNullPrototype: true },
      );
      const sort = fc.constantFrom('title', '-id', 'seats', '-mrr', 'plan', '-updatedAt');
      const statuses = new Set<number>();
      await fc.assert(
        fc.asyncProperty(filters, fc.option(text), sort, async (given, q, by) => {
          const asked = `filters=${encodeURIComponent(JSON.stringify(given))}&sort=${by}${q === null || q === '' ? '' : `&q=${encodeURIComponent(q.toWellFormed())}`}`;
          const { status, text: answer } = await clerk.get(`/resources/customer/list?${asked}`);
          statuses.add(status);
          expect(status, `${asked} ${answer}`).to.be.oneOf([200, 400]);
          if (q !== null && q !== '')
            expect(
              (await clerk.get(`/resources/customer?q=${encodeURIComponent(q.toWellFormed())}`)).status,
              q,
            ).to.be.oneOf([200, 400]);
        }),
        { numRuns: 400 },
      );
      expect([...statuses]).to.have.members([200, 400]);
    });

    it('says the same of a field that is hidden from filters and of one that is not declared', async () => {
      const [hidden, unknown] = [await filtered({ inner: 'x' }), await filtered({ outer: 'x' })];
      const withoutKnown = (text: string): string => text.replaceAll(/known: [^"]*/g, '').replaceAll('inner', 'outer');
      expect(withoutKnown(hidden.text)).to.equal(withoutKnown(unknown.text));
      for (const { body } of [hidden, unknown]) expect(body.details[0].message).to.match(/known: .*email/);
    });

    it('refuses a sort by what is not to be sorted by', async () => {
      for (const sort of ['email', 'password', '--title', 'title;drop', '-', 'inner']) {
        expect((await clerk.get(`/resources/customer/list?sort=${encodeURIComponent(sort)}`)).body, sort).to.include({
          code: 'invalid',
        });
      }
    });
  });
});
