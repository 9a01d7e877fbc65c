/** Resources and records over HTTP, of stored ones and of those that the app serves: search, lists, one record, relations. */
import { expect } from 'chai';
import fc from 'fast-check';
import { connectApp, rpcError, type FakeApp } from '../support/app.ts';
import { readDocuments } from '../support/documented.ts';
import { withoutDetails, withoutNames, type Client, type Reply } from '../support/http.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const field = (name: string, type: string, more: object = {}): object => ({
  name,
  type,
  filter: true,
  sort: true,
  ...more,
});

const manifest = {
  ...testManifest,
  resources: [
    {
      name: 'customer',
      label: 'Customers',
      source: 'stored',
      fields: [
        field('email', 'text', { search: true, sort: false }),
        field('plan', 'text'),
        field('seats', 'number'),
        field('mrr', 'money'),
        field('since', 'time'),
        field('vip', 'boolean', { sort: false }),
        { name: 'inner', type: 'text' },
      ],
      relations: [
        { name: 'orders', resource: 'order', field: 'customer' },
        { name: 'payments', resource: 'payment', field: 'customer' },
        { name: 'vaults', resource: 'vault', field: 'customer' },
      ],
      blocks: [{ type: 'text', title: 'Who', text: '{{record.title}} <{{record.fields.email}}>' }],
    },
    {
      name: 'order',
      source: 'stored',
      fields: [field('total', 'money')],
      relations: [
        { name: 'customer', resource: 'customer', key: 'customer' },
        { name: 'several', resource: 'customer', key: 'customers' },
      ],
    },
    {
      name: 'payment',
      source: 'app',
      fields: [field('amount', 'money'), { name: 'customer', filter: true }],
      relations: [{ name: 'refunds' }, { name: 'customer', resource: 'customer', key: 'customer' }],
    },
    { name: 'vault', source: 'stored', fields: [] },
  ],
  actions: [
    ...testManifest.actions,
    {
      name: 'refund',
      label: 'Refund',
      resource: 'customer',
      when: { field: 'record.fields.plan', op: 'eq', value: 'Team' },
      defaults: { to: '{{record.fields.email}}' },
      input: { type: 'object' },
    },
  ],
};
const grants = [
  ...clerkGrants,
  { on: 'resource:order', can: ['see'] },
  { on: 'resource:payment', can: ['see'] },
  { on: 'action:refund', can: ['run'] },
];

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
const idsOf = ({ status, body, text }: Reply): string[] => {
  expect(status, text).to.equal(200);
  return (body.records as { id: string }[]).map(({ id }) => id);
};

describe('records over HTTP', () => {
  let world: World;
  let app: Client;
  let admin: Client;
  let clerk: Client;
  let nobody: Client;

  const put = async (resource: string, records: readonly object[], deleted: readonly string[] = []): Promise<Reply> =>
    app.post(`/resources/${resource}/records`, { records, deleted });

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', grants);
    await world.role('nothing', []);
    const documents = await readDocuments(world.base);
    app = documents.of(await world.appKey());
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
    nobody = documents.of(await world.agent('nothing'));
    const plans = ['Team', 'Free', 'Business'];
    await put(
      'customer',
      Array.from({ length: 30 }, (_, n) => ({
        id: `c_${String(n).padStart(2, '0')}`,
        title: `Customer ${String(n).padStart(2, '0')}`,
        subtitle: n === 3 ? 'Lindgren' : null,
        updatedAt: 1_000 + n,
        fields: {
          email: `c${String(n)}@example.com`,
          plan: plans[n % 3],
          seats: n,
          vip: n < 2,
          inner: 'x',
          ...(n % 2 === 0 ? { mrr: n * 10.5 } : {}),
        },
      })),
    );
    await put(
      'order',
      Array.from({ length: 5 }, (_, n) => ({
        id: `o/${String(n)}`,
        title: `Order ${String(n)}`,
        fields: { total: n, customer: n < 3 ? 'c_01' : 'c_02', customers: ['c_01', 'c_03', 'none'] },
      })),
    );
    await put('vault', [{ id: 'v', title: 'Gold', fields: { customer: 'c_01' } }]);
  });
  after(() => world.close());

  describe('discovery', () => {
    it('shows the resources that the role sees, with fields and with relations to those alone', async () => {
      const { resources } = (await clerk.get('/resources')).body as {
        resources: { name: string; relations: { name: string }[]; fields: object[] }[];
      };
      expect(resources.map(({ name }) => name)).to.deep.equal(['customer', 'order', 'payment']);
      expect(resources[0]?.relations.map(({ name }) => name)).to.deep.equal(['orders', 'payments']);
      expect(resources[0]?.fields[2]).to.deep.equal({
        name: 'seats',
        label: 'seats',
        description: null,
        type: 'number',
        filter: true,
        sort: true,
        search: false,
      });
      expect((await nobody.get('/resources')).body).to.deep.equal({ resources: [], cursor: null });
      const first = (await admin.get('/resources?limit=3')).body;
      expect(
        (await admin.get(`/resources?cursor=${String(first.cursor)}`)).body.resources.map(
          ({ name }: { name: string }) => name,
        ),
      ).to.deep.equal(['vault']);
    });
  });

  describe('storing', () => {
    it('stores, replaces and deletes whole records, and says how many', async () => {
      expect(
        (await put('order', [{ id: 'new', title: 'New', subtitle: 'x', fields: { total: 1 } }])).body,
      ).to.deep.equal({ stored: 1, deleted: 0 });
      expect((await put('order', [{ id: 'new', title: 'Newer' }])).body).to.deep.equal({ stored: 1, deleted: 0 });
      const { record } = (await clerk.get('/resources/order/new')).body;
      expect(record).to.include({ resource: 'order', id: 'new', title: 'Newer', subtitle: null });
      expect(record.fields).to.deep.equal({});
      expect((await put('order', [], ['new', 'unknown'])).body).to.deep.equal({ stored: 0, deleted: 1 });
      expect((await clerk.get('/resources/order/new')).status).to.equal(404);
      expect((await app.post('/resources/order/records')).body).to.deep.equal({ stored: 0, deleted: 0 });
    });

    it('is for the app alone, and for stored resources', async () => {
      const body = { records: [{ id: 'x', title: 'X' }] };
      for (const client of [admin, clerk])
        expect((await client.post('/resources/order/records', body)).body).to.include({ code: 'forbidden' });
      expect((await app.post('/resources/payment/records', body)).body).to.include({ code: 'conflict' });
      const [hidden, unknown] = [
        await clerk.post('/resources/vault/records', body),
        await clerk.post('/resources/constructor/records', body),
      ];
      expect([hidden.status, withoutNames(hidden.text)]).to.deep.equal([404, withoutNames(unknown.text)]);
      expect((await app.post('/resources/nosuch/records', body)).status).to.equal(404);
    });

    it('answers a repeat under an idempotency key with the same bytes, the number of deleted ones too', async () => {
      const body = { records: [{ id: 'once', title: 'Once' }], deleted: ['o/4'] };
      const headers = { 'idempotency-key': 'records-once' };
      const [first, again] = [
        await app.post('/resources/order/records', body, { headers }),
        await app.post('/resources/order/records', body, { headers }),
      ];
      expect([first.status, first.text]).to.deep.equal([200, '{"stored":1,"deleted":1}']);
      expect([again.status, again.text, again.headers.get('idempotent-replayed')]).to.deep.equal([
        200,
        first.text,
        'true',
      ]);
      expect((await app.post('/resources/order/records', {}, { headers })).body.code).to.equal('idempotency_mismatch');
    });

    it('is audited, and what was refused too', async () => {
      await put('vault', [{ id: 'audited', title: 'A' }]);
      const refused = await world.agent('clerk', { name: 'refused' });
      await refused.post('/resources/vault/records', { records: [] });
      const { entries } = (await admin.get('/audit?verb=records.put&target=vault&limit=2')).body;
      expect(
        entries.map(({ outcome, actor }: { outcome: string; actor: { type: string } }) => [outcome, actor.type]),
      ).to.deep.equal([
        ['denied', 'agent'],
        ['ok', 'app'],
      ]);
      expect(entries[1].after).to.deep.equal({ stored: 1, changed: 1, deleted: 0 });
    });

    const bad: readonly [string, object, string][] = [
      ['the id list', { records: [{ id: 'list', title: 'x' }] }, 'records.0.id'],
      ['an id of dots', { deleted: ['..'] }, 'deleted.0'],
      ['an id with a control character', { records: [{ id: 'a\u0007', title: 'x' }] }, 'records.0.id'],
      ['an id of 201 characters', { records: [{ id: 'x'.repeat(201), title: 'x' }] }, 'records.0.id'],
      ['one id twice', { records: [{ id: 'a', title: 'x' }], deleted: ['a'] }, 'deleted.0'],
      ['a title of spaces', { records: [{ id: 'a', title: '  ' }] }, 'records.0.title'],
      ['no title', { records: [{ id: 'a' }] }, 'records.0.title'],
      ['fields that are no object', { records: [{ id: 'a', title: 'x', fields: [] }] }, 'records.0.fields'],
      [
        'fields over 32 KiB',
        { records: [{ id: 'a', title: 'x', fields: { long: 'x'.repeat(33_000) } }] },
        'records.0.fields',
      ],
      ['a NUL in a field', { records: [{ id: 'a', title: 'x', fields: { a: 'x\0' } }] }, 'records.0.fields.a'],
      ['a member that is not known', { records: [{ id: 'a', title: 'x', resource: 'y' }] }, 'records.0.resource'],
      [
        '1,001 records',
        { records: Array.from({ length: 1001 }, (_, n) => ({ id: String(n), title: 'x' })) },
        'records',
      ],
    ];
    for (const [title, body, path] of bad) {
      it(`refuses ${title}, stores nothing and names ${path}`, async () => {
        const { status, body: answer } = await app.post('/resources/vault/records', body);
        expect(status).to.equal(400);
        expect(answer.details.map((detail: { path: string }) => detail.path)).to.include(path);
        expect(
          await world.sql("select from records where resource = 'vault' and id in ('a', '0', 'list')"),
        ).to.deep.equal([]);
      });
    }

    it('names each offending path of all records at once', async () => {
      const records = [
        { id: '..', title: 'x', subTitle: 'y' },
        { id: '', title: ' ', fields: [] },
        5,
        { id: 'fine', title: 'x' },
        { title: 'x', updatedAt: -1 },
        { id: 'fine', title: 'y' },
      ];
      const { status, body } = await app.post('/resources/vault/records', { records, deleted: ['list', 7] });
      expect(status).to.equal(400);
      expect(body.details.map(({ path }: { path: string }) => path)).to.deep.equal([
        'records.0.id',
        'records.0.subTitle',
        'records.1.id',
        'records.1.title',
        'records.1.fields',
        'records.2',
        'records.4.id',
        'records.4.updatedAt',
        'records.5.id',
        'deleted.0',
        'deleted.1',
      ]);
    });
  });

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

  describe('what is hidden, retired or unknown', () => {
    it('is answered with the same bytes', async () => {
      for (const rest of ['', '/list', '/v', '/v/related/x', '/list?filters=%7B']) {
        const [hidden, ...others] = await Promise.all(
          ['vault', 'pg_class', 'constructor', '__proto__', 'nosuch'].map((name) =>
            clerk.get(`/resources/${name}${rest}`),
          ),
        );
        expect(hidden?.status, rest).to.equal(404);
        for (const other of others)
          expect([other.status, withoutNames(other.text)], rest).to.deep.equal([404, withoutNames(hidden?.text ?? '')]);
      }
      const unknown = await clerk.get('/resources/customer/nobody');
      const paths = [
        '/resources/customer/c_01/related/toString',
        '/resources/customer/c_01/related/vaults',
        '/resources/customer/nobody/related/orders',
        '/resources/order/nobody/related/customer',
        '/resources/customer/%00',
        '/resources/customer/records',
      ];
      for (const path of paths)
        expect([withoutDetails((await clerk.get(path)).text), path], path).to.deep.equal([unknown.text, path]);
    });
  });

  describe('the page of a record', () => {
    it('has the record under any id, with blocks, items that the role sees, and the actions that apply', async () => {
      const ids = ['a/b c', 'ä%2F', '..a', 'records', "it's"];
      await put(
        'customer',
        ids.map((id) => ({ id, title: 'Odd' })),
      );
      for (const id of ids)
        expect((await clerk.get(`/resources/customer/${encodeURIComponent(id)}`)).body.record, id).to.include({
          id,
          title: 'Odd',
        });
      await put('customer', [], ids);
      const record = { resource: 'customer', id: 'c_00' };
      const mail = (await admin.post('/items', { inbox: 'mail', title: 'By record', record })).body.item.id as string;
      const linked = (await admin.post('/items', { inbox: 'refunds', title: 'By link', links: [record] })).body.item
        .id as string;
      await admin.post('/items', { inbox: 'secret', title: 'Hidden', record });
      const page = (await clerk.get('/resources/customer/c_00')).body;
      expect(page.record).to.include({ id: 'c_00', title: 'Customer 00', updatedAt: 1_000 });
      expect(page.blocks).to.deep.equal([{ type: 'text', title: 'Who', text: 'Customer 00 <c0@example.com>' }]);
      expect(page.items.map(({ id }: { id: string }) => id)).to.have.members([mail, linked]);
      expect(
        page.actions.map(({ action, defaults }: { action: string; defaults: object }) => [action, defaults]),
      ).to.deep.equal([['refund', { to: 'c0@example.com' }]]);
      expect((await clerk.get('/resources/customer/c_01')).body.actions, 'its plan is another').to.deep.equal([]);
    });

    it('has what was done to it and to its items, newest first, page by page, and nothing of what the role does not see', async () => {
      const record = { resource: 'customer', id: 'c_02' };
      const make = async (inbox: string): Promise<string> =>
        (await admin.post('/items', { inbox, title: 'x', record })).body.item.id as string;
      const [mail, secret] = [await make('mail'), await make('secret')];
      await admin.post(`/items/${secret}/notes`, { text: 'secret' });
      for (let n = 0; n < 101; n++) await admin.post(`/items/${mail}/notes`, { text: `note ${String(n)}` });
      const event = (entry: string, type: string, data: object, more = ''): Promise<unknown> =>
        world.sql(
          `insert into events (env, at, actor_type, actor_name, entry, type, data, about${more === '' ? '' : ', is_update'}) select id, 5, 'agent', 'A', $1, $2, $3, 'customer/c_02'${more} from environments where name = 'demo'`,
          [entry, type, JSON.stringify(data)],
        );
      await event('ent_01jd0000000000000000000001', 'action', {
        run: 'r',
        action: 'refund',
        label: 'Refund',
        status: 'running',
        message: null,
      });
      await event(
        'ent_01jd0000000000000000000001',
        'action',
        { run: 'r', action: 'refund', label: 'Refund', status: 'succeeded', message: 'ok' },
        ', true',
      );
      await event('ent_01jd0000000000000000000002', 'action', {
        run: 'r',
        action: 'upgrade',
        label: 'Upgrade',
        status: 'succeeded',
        message: null,
      });
      const first = (await clerk.get('/resources/customer/c_02')).body;
      expect(first.history).to.have.length(100);
      expect(first.history[0]).to.deep.include({
        id: 'ent_01jd0000000000000000000001',
        item: null,
        type: 'action',
        data: { run: 'r', action: 'refund', label: 'Refund', status: 'succeeded', message: 'ok' },
      });
      const second = (await clerk.get(`/resources/customer/c_02?historyCursor=${String(first.historyCursor)}`)).body;
      expect(second.historyCursor).to.equal(null);
      const all = [...first.history, ...second.history] as { id: string; item: string | null; type: string }[];
      expect(all.map(({ type }) => type)).to.deep.equal([
        'action',
        ...Array.from({ length: 101 }, () => 'note'),
        'created',
      ]);
      expect(new Set(all.map(({ id }) => id)).size).to.equal(103);
      expect(all.slice(1).every(({ item }) => item === mail)).to.equal(true);
      expect(
        (await clerk.get(`/resources/customer/c_01?historyCursor=${String(first.historyCursor)}`)).body.code,
      ).to.equal('bad_cursor');
    });
  });

  describe('relations', () => {
    it('go by a field of theirs, page by page', async () => {
      const first = await clerk.get('/resources/customer/c_01/related/orders?limit=2');
      expect(idsOf(first)).to.deep.equal(['o/0', 'o/1']);
      expect(
        idsOf(await clerk.get(`/resources/customer/c_01/related/orders?cursor=${String(first.body.cursor)}`)),
      ).to.deep.equal(['o/2']);
      expect(
        (await clerk.get(`/resources/customer/c_02/related/orders?cursor=${String(first.body.cursor)}`)).body.code,
      ).to.equal('bad_cursor');
    });

    it('go by a key of its own, one or several', async () => {
      expect(idsOf(await clerk.get('/resources/order/o%2F3/related/customer'))).to.deep.equal(['c_02']);
      expect(idsOf(await clerk.get('/resources/order/o%2F3/related/several')).sort()).to.deep.equal(['c_01', 'c_03']);
    });
  });

  describe('of a resource that the app serves', () => {
    let served: FakeApp;
    const payment = (n: number): object => ({
      id: `p_${String(n)}`,
      title: `Payment ${String(n)}`,
      fields: { amount: n, customer: 'c_01' },
      more: 'is left out',
    });

    const routes = [
      '/resources/payment?q=x',
      '/resources/payment/list',
      '/resources/payment/p_1',
      '/resources/payment/p_1/related/refunds',
      '/resources/customer/c_01/related/payments',
    ];

    it('answers app_offline while it is offline, and everything else of the service still', async () => {
      for (const route of routes) {
        const reply = await clerk.get(route);
        expect([reply.status, reply.body.code], route).to.deep.equal([503, 'app_offline']);
      }
      expect((await clerk.get('/resources/customer/c_01')).status).to.equal(200);
    });

    describe('while it is online', () => {
      beforeEach(async () => {
        served = await connectApp(app, { manifest });
      });
      afterEach(async () => {
        await served.close();
        await until('it is offline', async () => (await world.sql('select from app_connections')).length === 0);
      });

      it('asks it for each read, and hands its cursor on sealed', async () => {
        served.handle('records.list', ({ cursor }: { cursor: string | null }) =>
          cursor === null ? { records: [payment(1)], cursor: 'page 2' } : { records: [payment(2)] },
        );
        const path = `/resources/payment/list?filters=${json({ amount: { gt: 0 } })}&sort=-amount&q=pay&limit=1`;
        const first = await clerk.get(path);
        expect(first.body.records).to.deep.equal([
          {
            resource: 'payment',
            id: 'p_1',
            title: 'Payment 1',
            subtitle: null,
            fields: { amount: 1, customer: 'c_01' },
            updatedAt: null,
          },
        ]);
        expect(first.body.cursor).not.to.include('page');
        const second = await clerk.get(`${path}&cursor=${String(first.body.cursor)}`);
        expect([idsOf(second), second.body.cursor]).to.deep.equal([['p_2'], null]);
        expect(
          served.received.filter(({ method }) => method === 'records.list').map(({ params }) => params),
        ).to.deep.equal([
          { resource: 'payment', q: 'pay', filters: { amount: { gt: 0 } }, sort: '-amount', cursor: null, limit: 1 },
          {
            resource: 'payment',
            q: 'pay',
            filters: { amount: { gt: 0 } },
            sort: '-amount',
            cursor: 'page 2',
            limit: 1,
          },
        ]);
        expect((await clerk.get(`/resources/payment/list?cursor=${String(first.body.cursor)}`)).body.code).to.equal(
          'bad_cursor',
        );
        expect((await clerk.get(`/resources/payment/list?filters=${json({ nosuch: 1 })}`)).body.code).to.equal(
          'invalid',
        );
      });

      it('searches, reads and relates through it', async () => {
        served.handle('records.search', () => ({ records: [payment(3)] }));
        served.handle('records.get', ({ ids }: { ids: string[] }) => ({
          records: ids.includes('p_1') ? [payment(1)] : [],
        }));
        served.handle('records.list', ({ filters }: { filters: object }) => ({
          records: JSON.stringify(filters) === '{"customer":"c_01"}' ? [payment(1)] : [],
        }));
        served.handle('records.related', () => ({
          records: [
            { ...payment(9), resource: 'payment' },
            { id: 'v', title: 'Hidden', resource: 'vault' },
            { id: 'x', title: 'Unknown', resource: 'nosuch' },
          ],
        }));
        served.handle('record.blocks', () => ({
          blocks: [{ type: 'text', title: 'App', text: 'hi' }, { type: 'nonsense' }],
        }));
        expect(idsOf(await clerk.get('/resources/payment?q=x'))).to.deep.equal(['p_3']);
        const page = (await clerk.get('/resources/payment/p_1')).body;
        expect(page.record).to.include({ id: 'p_1', title: 'Payment 1' });
        expect(page.blocks.map(({ type }: { type: string }) => type)).to.deep.equal(['text', 'error']);
        expect((await clerk.get('/resources/payment/p_2')).status).to.equal(404);
        expect(idsOf(await clerk.get('/resources/customer/c_01/related/payments'))).to.deep.equal(['p_1']);
        expect(idsOf(await clerk.get('/resources/payment/p_1/related/customer'))).to.deep.equal(['c_01']);
        expect(idsOf(await clerk.get('/resources/payment/p_1/related/refunds'))).to.deep.equal(['p_9']);
        expect((await clerk.get('/resources/payment/p_2/related/refunds')).status).to.equal(404);
      });

      it('answers app_error for an error and for every answer that is not valid, and passes nothing of it on', async () => {
        const answers: readonly (() => unknown)[] = [
          () => {
            throw rpcError(-32603, 'secret stack');
          },
          () => {
            throw rpcError(-32001, 'no');
          },
          () => null,
          () => 'x',
          () => ({}),
          () => ({ records: 'x' }),
          () => ({ records: [{ id: 'p' }] }),
          () => ({ records: [{ id: 'list', title: 'x' }] }),
          () => ({ records: [{ id: 'p', title: 'x', fields: [] }] }),
          () => ({ records: [payment(1)], cursor: 5 }),
          () => ({ records: [payment(1), payment(2)] }),
        ];
        for (const answer of answers) {
          served.handle('records.list', answer);
          const reply = await clerk.get('/resources/payment/list?limit=1');
          expect([reply.status, reply.body.code], String(answer)).to.deep.equal([502, 'app_error']);
          expect(reply.text).not.to.include('secret');
        }
      });

      it('answers app_offline when its connection breaks under a call', async () => {
        served.handle('records.list', () => {
          served.kill();
          return new Promise(() => undefined);
        });
        const reply = await clerk.get('/resources/payment/list');
        expect([reply.status, reply.body.code]).to.deep.equal([503, 'app_offline']);
      });
    });
  });
});
