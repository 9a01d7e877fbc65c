/** What `GET /items` lists: compared with a naive filter and sort in JavaScript, page by page, on real PostgreSQL. */
import { expect } from 'chai';
import fc from 'fast-check';
import { countItems } from '../../shared/items/list/count.ts';
import { listItems } from '../../shared/items/list/page.ts';
import { unfiltered, type ItemListRequest } from '../../shared/items/list/request.ts';
import { defaultItemScanLimits } from '../../shared/items/list/scan.ts';
import { openDb, type Db } from '../../shared/platform/db/knex.ts';
import { queryWords } from '../../shared/platform/words/searchWords.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';
import { type Listed, now, people, inboxes, store, cut, expected, paged, data, requests } from './listModel.ts';

describe('listing items', () => {
  let database: TestDatabase;
  let db: Db;
  let env = 0;

  before(async () => {
    database = await newDatabase();
    db = openDb({ url: database.url, poolSize: 2, applicationName: 'test' });
  });

  after(async () => {
    await db.destroy();
    await database.drop();
  });

  /** Stores items in an environment of their own and returns a request for all of them. */
  const given = async (items: readonly Listed[]): Promise<ItemListRequest> => {
    env += 1;
    await store(db, env, items);
    return {
      env,
      inboxes,
      ...unfiltered,
      now,
      sort: 'lastSeen',
      descending: true,
      after: null,
      limit: 50,
    };
  };

  const item = (n: number, more: Partial<Listed>): Listed => ({
    id: `itm_${String(n).padStart(26, '0')}`,
    inbox: 'support',
    title: 'x',
    state: 'open',
    priority: 'normal',
    closed: false,
    tags: [],
    assignee: null,
    occurrences: 1,
    users: 0,
    firstSeen: now,
    lastSeen: now - n * 3_600_000,
    dueAt: null,
    snoozedUntil: null,
    triaged: false,
    fields: {},
    further: [],
    record: null,
    links: [],
    createdAt: now,
    ...more,
  });

  it('answers each item that fits exactly once, in order, whatever is asked, and counts them', async function () {
    this.timeout(300_000);
    await fc.assert(
      fc.asyncProperty(data, fc.array(requests, { minLength: 12, maxLength: 12 }), async (items, asked) => {
        const all = await given(items);
        for (const { pace, ...one } of asked) {
          const request: ItemListRequest = { ...all, ...one };
          const ids = expected(items, request);
          expect(await paged(db, cut(request), pace)).to.deep.equal(ids);
          expect(await countItems(db, cut(request), pace)).to.equal(ids.length);
        }
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? '40') },
    );
  });

  /** Titles found by a search, in the order given. */
  const found = async (titles: readonly string[], search: string): Promise<string[]> => {
    const items = titles.map((title, n) => item(n, { title }));
    const all = await given(items);
    const answers = await Promise.all(
      [defaultItemScanLimits, { ...defaultItemScanLimits, strides: [1], nearby: 0 }].map((pace) =>
        paged(db, { ...all, words: queryWords(search) }, pace),
      ),
    );
    expect(answers[1], 'by look-up as by reading').to.deep.equal(answers[0]);
    return titles.filter((_title, n) => answers[0]?.includes(items[n]?.id ?? ''));
  };

  const signs = ['%', '_', '\\', "'", '"', '&', '!', '|', '*', ':*', '(', ')', '<->', '\u0001', '😀', "''", '\\\\'];
  for (const sign of signs) {
    it(`takes ${JSON.stringify(sign)} in a search for what it is`, async () => {
      const others = signs.filter((other) => !other.startsWith(sign));
      expect(await found([`pay ${sign} now`, `${sign}x`, ...others, 'pay x now'], sign)).to.deep.equal([
        `pay ${sign} now`,
        `${sign}x`,
      ]);
    });
  }

  const searches: readonly [search: string, titles: readonly string[], hits: readonly number[]][] = [
    ['a & ! b', ['a & ! b', 'b ! & a c', 'a b', 'a & b'], [0, 1]],
    ['100%', ['100% off', '100 off', 'x100%', '(100%)'], [0, 3]],
    ['fail', ['Payment FAILED', 'unfailing', 'pre-failure', 'fai'], [0, 2]],
    ['payment-f', ['payment-failed', 'payment failed', 'a payment-frozen b'], [0, 2]],
    ['inv-2024 paid', ['INV-2024-17 was paid', 'paid: INV-2024', 'INV 2024 paid', 'INV-2024'], [0, 1]],
    ['café', ['CAFE\u0301 closed', 'Café', 'cafe'], [0, 1]],
    ['cafe', ['CAFE\u0301', 'Cafeteria'], [0, 1]],
    ['οδος', ['ΟΔΟΣ', 'ΟΔΟΣΑ', 'οδός'], [0, 1, 2]],
    ['注', ['新しい注文', '注文', '文'], [0, 1]],
    ['注文', ['新しい注文が来た', '文注', '注 文'], [0]],
    ['サーバー', ['サーバーが落ちた', 'サーバ', 'Webサーバー503'], [0, 2]],
    ['注文が届かない', ['昨日の注文が届かないと言う', '注文が届かな'], [0]],
    ['สวัส', ['คำว่าสวัสดีครับ', 'สวั'], [0]],
    ['한국', ['한국어', '대한국어', '한 국'], [0, 1]],
    ['전액환불요청', ['어제전액환불요청했음', '전액환불'], [0]],
    ['#42', ['Refund (#42)', '#421', '42', '*##42*'], [0, 1, 3]],
    ['(#42)', ['Refund (#42)', '#42', '42'], [0, 1]],
    ['ana@example.com', ['from <ana@example.com>', 'ANA@example.com, Bob', 'ana example.com'], [0, 1]],
    ['x/y', ['[x/y]', 'x/y.z', 'y/x'], [0, 1]],
    ["don't", ['I don’t', "Don't", 'don´t', 'dont'], [0, 1, 2]],
    ['don’t', ['I don’t', "Don't", 'dont'], [0, 1]],
    ['“late”', ['a “late” parcel', '"late"', '«Late»'], [0, 1, 2]],
    ['co-op', ['co\u2011op', 'co–op', 'coop'], [0, 1]],
    ['cooperate', ['co\u00adoperate', 'coop\u200berate', 'co-operate'], [0, 1]],
    ['full 123', ['ｆｕｌｌ １２３', 'full １２'], [0]],
    ['ｆｕｌｌ', ['full', 'FULL'], [0, 1]],
    ['カタ', ['ｶﾀｶﾅ', 'タカ'], [0]],
    ['strasse', ['Hauptstraße', 'Straße 1', 'STRASSE', 'STRAẞE'], [1, 2, 3]],
    ['straße', ['Strasse', 'Straße'], [0, 1]],
    ['istanbul', ['İstanbul', 'ISTANBUL', 'ıstanbul'], [0, 1, 2]],
    ['résumé', ['resume', 'RÉSUMÉ', 'resumé'], [1]],
    ['lodz', ['Łódź', 'Lodz'], [0, 1]],
    ['42', ['№42', '４２'], [0, 1]],
  ];
  for (const [search, titles, hits] of searches) {
    it(`finds ${titles.filter((_title, n) => hits.includes(n)).join(' / ')} for ${search}, and nothing else`, async () => {
      expect(await found(titles, search)).to.deep.equal(titles.filter((_title, n) => hits.includes(n)));
    });
  }

  it('finds a word of a long title, and only where all 200 characters of a query fit', async () => {
    const long = 'é'.repeat(499);
    expect(await found([`${long}x`, `${'é'.repeat(150)}a`], 'é'.repeat(200))).to.deep.equal([`${long}x`]);
  });

  it('takes no tag, state or person for a word of a title', async () => {
    const all = await given([
      item(1, { title: 'x', tags: ['vip'], assignee: people[0] ?? null }),
      item(2, { title: 'tvip sopen vip' }),
    ]);
    expect(await paged(db, { ...all, words: ['vip'] }, defaultItemScanLimits)).to.deep.equal([item(2, {}).id]);
    expect(await paged(db, { ...all, tags: ['vip'] }, defaultItemScanLimits)).to.deep.equal([item(1, {}).id]);
  });

  it('goes on behind an item that has gone meanwhile, and shows what keeps its place once', async () => {
    const items = Array.from({ length: 30 }, (_, n) => item(n, { occurrences: 5 }));
    const all: ItemListRequest = { ...(await given(items)), sort: 'occurrences', limit: 10 };
    const first = await listItems(db, all);
    const last = first.rows.at(-1)?.[0] ?? '';
    await db.raw('update items set occurrences = 9 where env = ? and id = ?', [all.env, last]);
    const rest = await paged(db, { ...all, after: first.next, limit: 7 }, defaultItemScanLimits);
    const seen = [...first.rows.map((row) => row[0]), ...rest];
    expect(new Set(seen).size).to.equal(30);
    expect(seen).to.have.length(30);
  });

  it('has each item once by priority, also where items are found without an order', async () => {
    const record = { resource: 'customer', id: 'c1' };
    const priorities = ['urgent', 'normal', 'low', 'high', 'normal', 'urgent'];
    const items = priorities.map((priority, n) => item(n, { priority, record, dueAt: now - n - 1, tags: ['vip'] }));
    const all: ItemListRequest = { ...(await given(items)), sort: 'priority', limit: 4 };
    for (const more of [
      { record },
      { tags: ['vip'] },
      { words: ['x'] },
      { overdue: true },
      { contents: { words: ['x'], fields: [] } },
    ])
      for (const descending of [true, false])
        for (const pace of [defaultItemScanLimits, { ...defaultItemScanLimits, strides: [1], nearby: 0 }]) {
          const request: ItemListRequest = { ...all, ...more, descending };
          expect(await paged(db, request, pace), JSON.stringify(more)).to.deep.equal(expected(items, request));
        }
  });

  it('finds nothing of another environment', async () => {
    const mine = await given([item(1, { title: 'secret', tags: ['vip'] })]);
    const other = await given([item(1, { title: 'other' })]);
    for (const filter of [
      {},
      { words: ['secret'] },
      { tags: ['vip'] },
      { sort: 'title' as const },
      { sort: 'due' as const },
    ]) {
      const request: ItemListRequest = { ...other, ...filter };
      const hits = await paged(db, request, { ...defaultItemScanLimits, strides: [1], nearby: 0 });
      expect(hits).to.deep.equal('words' in filter || 'tags' in filter ? [] : [item(1, {}).id]);
      expect(await countItems(db, request)).to.equal(hits.length);
    }
    expect(await paged(db, mine, defaultItemScanLimits)).to.have.length(1);
  });

  it('reads many inboxes with many states in order', async () => {
    const states = Array.from({ length: 10 }, (_, n) => `state${String(n)}`);
    const priorities = [['urgent'], ['normal']];
    const many = Array.from({ length: 20 }, (_, n) => ({ name: `inbox${String(n)}`, states, priorities }));
    const items = Array.from({ length: 300 }, (_, n) =>
      item(n, { inbox: `inbox${String(n % 20)}`, state: `state${String(n % 7)}`, occurrences: n % 4 }),
    );
    const all: ItemListRequest = { ...(await given(items)), inboxes: many };
    for (const more of [
      {},
      { sort: 'occurrences' as const },
      { sort: 'priority' as const, states },
      { states, tags: ['none'] },
      { states },
      { sort: 'title' as const, words: ['x'] },
    ]) {
      const request: ItemListRequest = { ...all, ...more };
      expect(await paged(db, request, defaultItemScanLimits)).to.deep.equal(expected(items, request));
      expect(await countItems(db, request)).to.equal(expected(items, request).length);
    }
  });
});
