/** What `GET /items` lists: compared with a naive filter and sort in JavaScript, page by page, on real PostgreSQL. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { itemSorts, type ItemSort } from '../../shared/environments/itemQuery.ts';
import { furtherLexemes, itemLexemes, type ContentFilter, type WordsRow } from '../../shared/items/itemWords.ts';
import { countItems } from '../../shared/items/list/count.ts';
import { listItems } from '../../shared/items/list/page.ts';
import { unfiltered, type CursorKeys, type ItemListRequest } from '../../shared/items/list/request.ts';
import { defaultItemScanLimits, type ItemScanLimits } from '../../shared/items/list/scan.ts';
import type { RecordRef } from '../../shared/items/model.ts';
import { itemTerms } from '../../shared/items/terms.ts';
import { rowId } from '../../shared/platform/core/ids.ts';
import { foldCase } from '../../shared/platform/core/searchWords.ts';
import { openDb, type Db } from '../../shared/platform/db/knex.ts';
import { queryRows, statement, type TextRow } from '../../shared/platform/db/sql.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';

interface Listed {
  readonly id: string;
  readonly inbox: string;
  readonly title: string;
  readonly state: string;
  readonly closed: boolean;
  readonly tags: readonly string[];
  readonly assignee: string | null;
  readonly occurrences: number;
  readonly users: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly dueAt: number | null;
  readonly snoozedUntil: number | null;
  readonly triaged: boolean;
  readonly record: RecordRef | null;
  readonly links: readonly RecordRef[];
  readonly createdAt: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Texts of occurrences, notes and replies. */
  readonly further: readonly string[];
}

const now = 1_795_000_000_000;
const week = 7 * 86_400_000;
const people = ['per_01k0000000e000000000000001', 'per_01k0000000e000000000000002'];
const inboxes = [
  { name: 'support', states: ['open', 'waiting', 'closed'] },
  { name: 'errors', states: ['open', 'muted', 'closed'] },
  { name: 'abuse', states: ['open', 'closed'] },
];
const words = [
  'payment',
  'Pay',
  'failed',
  'INV-2024',
  '100%',
  '100',
  '_x',
  '%',
  '\\',
  "'",
  '"',
  '&',
  '!',
  ':*',
  'a|b',
  '(x)',
  '<->',
  'Ärger',
  'cafe\u0301',
  'CAFÉ',
  'ΟΔΟΣ',
  'οδοσα',
  'İstanbul',
  '東京タワーの注文',
  '注文が届かない',
  'サーバー',
  '😀',
  '\u0001',
];

const insert = statement(
  'test.insertItems',
  `
  insert into items (env, id, inbox, title, title_key, state, closed, tags, assignee, occurrences, users, first_seen, last_seen, due_at, snoozed_until,
    triaged, record_resource, record_id, links, fields, created_at, updated_at, terms)
  select $1, g.id, inbox, title, title_key, state, closed, tags, assignee, occurrences, users, first_seen, last_seen, due_at, snoozed_until,
    triaged, record_resource, record_id, links, fields, created_at, last_seen, array_to_tsvector(terms)
  from json_to_recordset($2::json) as g(id text, inbox text, title text, title_key text, state text, closed boolean, tags text[], assignee text,
    occurrences int, users int, first_seen bigint, last_seen bigint, due_at bigint, snoozed_until bigint, triaged boolean,
    record_resource text, record_id text, links jsonb, fields json, created_at bigint, terms text[])`,
);
const insertWords = statement(
  'test.insertWords',
  `
  insert into item_words (env, item, source, words)
  select $1, item, source, array_to_tsvector(string_to_array(words, E'\\n'))
  from json_to_recordset($2::json) as w(item text, source text, words text)`,
);

const store = async (db: Db, env: number, items: readonly Listed[]): Promise<void> => {
  const given = items.map((item) => ({
    ...item,
    title_key: item.title.toLowerCase(),
    first_seen: item.firstSeen,
    last_seen: item.lastSeen,
    due_at: item.dueAt,
    snoozed_until: item.snoozedUntil,
    record_resource: item.record?.resource,
    record_id: item.record?.id,
    created_at: item.createdAt,
    terms: itemTerms(env, item),
  }));
  await queryRows(db, insert, [env, JSON.stringify(given)]);
  const rows = items.flatMap(({ id, inbox, title, fields, further }): WordsRow[] => [
    { item: id, source: '', words: itemLexemes(env, inbox, title, JSON.stringify(fields)) },
    ...further.map((text, n) => ({ item: id, source: `ent_${String(n)}`, words: furtherLexemes(env, inbox, [text]) })),
  ]);
  await queryRows(db, insertWords, [env, JSON.stringify(rows)]);
};

const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]/u;

/** The contract's cut, written the simple way. */
const titleParts = (title: string): string[] =>
  foldCase(title)
    .split(/\s+/u)
    .flatMap((word) => [
      word,
      ...(word.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).flatMap((run) =>
        unspaced.test(run) ? Array.from(run, (_, i) => run.slice(i)) : [run],
      ),
    ]);

const finds = (title: string, search: readonly string[]): boolean =>
  search
    .flatMap((query) => foldCase(query).split(/\s+/u))
    .filter((word) => word !== '')
    .every((word) => titleParts(title).some((part) => part.startsWith(word)));

/** Every word begins a word of some text, and every field has the value. */
const contains = ({ title, fields, further }: Listed, { words: search, fields: wanted }: ContentFilter): boolean => {
  const texts = [title, ...Object.values(fields).filter((value) => typeof value === 'string'), ...further];
  return (
    search
      .flatMap((query) => foldCase(query).split(/\s+/u))
      .filter((word) => word !== '')
      .every((word) => texts.some((text) => finds(text, [word]))) &&
    wanted.every(
      ([name, value]) =>
        ['string', 'number', 'boolean'].includes(typeof fields[name]) && String(fields[name]) === value,
    )
  );
};

const fits = (item: Listed, request: ItemListRequest): boolean => {
  const {
    states,
    tags,
    assignees,
    words: search,
    contents,
    overdue,
    triaged,
    snoozed,
    record,
    created,
    seen,
  } = request;
  return (
    request.inboxes.some((inbox) => inbox.name === item.inbox) &&
    (states === null || states.includes(item.state)) &&
    (tags === null || tags.every((tag) => item.tags.includes(tag))) &&
    (assignees === null || assignees.includes(item.assignee ?? 'none')) &&
    (search === null || finds(item.title, search)) &&
    (contents === null || contains(item, contents)) &&
    (overdue === null || (item.dueAt !== null && !item.closed && item.dueAt < now) === overdue) &&
    (triaged === null || item.triaged === triaged) &&
    (snoozed === null || (item.snoozedUntil !== null && item.snoozedUntil > now) === snoozed) &&
    (record === null || [item.record, ...item.links].some((ref) => isDeepStrictEqual(ref, record))) &&
    (created === null || (item.createdAt >= created.from && item.createdAt < created.to)) &&
    (seen === null || (item.lastSeen >= seen.from && item.lastSeen < seen.to))
  );
};

const keyOf: Record<ItemSort, (item: Listed) => string | number | null> = {
  lastSeen: (item) => item.lastSeen,
  firstSeen: (item) => item.firstSeen,
  occurrences: (item) => item.occurrences,
  users: (item) => item.users,
  title: (item) => item.title.toLowerCase(),
  due: (item) => item.dueAt,
};

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);

const expected = (items: readonly Listed[], request: ItemListRequest): string[] => {
  const sign = request.descending ? -1 : 1;
  const key = keyOf[request.sort];
  return items
    .filter((item) => fits(item, request))
    .sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if ((x === null) !== (y === null)) return x === null ? 1 : -1;
      return sign * ((x === null || y === null ? 0 : compare(x, y)) || compare(a.id, b.id));
    })
    .map((item) => item.id);
};

const paged = async (db: Db, request: ItemListRequest, pace: ItemScanLimits): Promise<string[]> => {
  const ids: string[] = [];
  let { after } = request;
  do {
    const page: { rows: readonly TextRow[]; next: CursorKeys | null } = await listItems(
      db,
      { ...request, after },
      pace,
    );
    expect(page.rows.length).to.be.at.most(request.limit);
    ids.push(...page.rows.map((row) => row[0] ?? ''));
    // What a cursor carries survives JSON.
    after = page.next === null ? null : (JSON.parse(JSON.stringify(page.next)) as CursorKeys);
  } while (after !== null);
  return ids;
};

const few = <T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const titles = fc.array(few(words), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));
/** Some at the ends of what is possible, the others in neighbouring fortnights, so that none of these is left out unseen. */
const times = fc.oneof(
  few([0, 1, now - 200 * week, now - 1, now, now + week, 8_640_000_000_000_000]),
  fc.nat(24).map((weeks) => now - weeks * week),
);

/** The same id in two resources, and one that is another's beginning. */
const records: readonly RecordRef[] = [
  { resource: 'customer', id: 'c1' },
  { resource: 'order', id: 'c1' },
  { resource: 'customer', id: 'c11' },
];

const listed = fc.record({
  place: fc.nat(20),
  title: titles,
  triaged: fc.boolean(),
  tags: fc.subarray(['vip', 'Vip', "o'x", 'a b', '東京', 'none']),
  assignee: fc.option(few(people)),
  occurrences: fc.integer({ min: 1, max: 3 }),
  users: fc.integer({ min: 0, max: 2 }),
  firstSeen: times,
  lastSeen: times,
  dueAt: fc.option(times),
  snoozedUntil: fc.option(times),
  record: fc.option(few(records)),
  links: fc.subarray([...records]),
  createdAt: fc.nat(24).map((weeks) => now - weeks * week),
  fields: fc.record(
    {
      plan: few(['free', 'Pro', 'a\nb', 'x'.repeat(300)]),
      amount: few([1, 10, 1.5, 1e21, -0]),
      late: fc.boolean(),
      text: titles,
      nothing: fc.constant(null),
    },
    { requiredKeys: [] },
  ),
  further: fc.array(titles, { maxLength: 3 }),
});

const data = fc.array(listed, { maxLength: 60 }).map((drafts) =>
  drafts.map(({ place, ...draft }, n): Listed => {
    const inbox = inboxes[place % 3] ?? { name: '', states: [] };
    const state = inbox.states[place % inbox.states.length] ?? '';
    return {
      ...draft,
      id: rowId('itm', draft.createdAt, (n * 7919) % 1009),
      inbox: inbox.name,
      state,
      closed: state === 'closed',
    };
  }),
);

/** Small data sets fit into one stride; these make every step of a large one happen in them. */
const paces: readonly ItemScanLimits[] = [
  defaultItemScanLimits,
  {
    strides: [1, 2, 5, 1000],
    nearby: 2,
    farther: 5,
    sampleRows: 3,
    overdue: 2,
    gatherMost: 2,
    contents: 3,
    contentsMs: 100,
    contentsFirst: 1,
    partRows: 20,
    pageMs: 0,
    branches: 64,
  },
  {
    strides: [2, 1000],
    nearby: 0,
    farther: 2,
    sampleRows: 3,
    overdue: 1000,
    gatherMost: 1000,
    contents: 1000,
    contentsMs: 100,
    contentsFirst: 2,
    partRows: 20,
    pageMs: 250,
    branches: 2,
  },
  // No contents of several parts are looked up.
  { ...defaultItemScanLimits, strides: [2, 1000], nearby: 0, contentsMs: -1 },
];

const yesNo = fc.option(fc.boolean(), { freq: 1 });
const queries = fc.array(
  fc.tuple(few(words), fc.nat(6)).map(([word, length]) =>
    Array.from(word)
      .slice(0, length + 1)
      .join(''),
  ),
  { minLength: 1, maxLength: 2 },
);

const edges = fc.oneof(few([-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]), times);
const ranges = fc.option(fc.record({ from: edges, to: edges }), { freq: 1 });

const values = fc.tuple(
  few(['plan', 'amount', 'late', 'text', 'nothing']),
  few([
    'free',
    'Pro',
    'pro',
    'a\nb',
    'x'.repeat(300),
    '1',
    '10',
    '1.5',
    '1e+21',
    '0',
    'true',
    'false',
    'null',
    'payment',
  ]),
);
/** More words than are looked up by themselves, and than are compared in one pass. */
const manyWords = fc.array(queries, { minLength: 3, maxLength: 6 }).map((lists) => lists.flat());
const contents = fc.oneof(
  fc.record({ words: queries, fields: fc.constant([]) }),
  fc.record({ words: manyWords, fields: fc.array(values, { maxLength: 1 }) }),
  fc.record({ words: fc.constant([]), fields: fc.array(values, { minLength: 1, maxLength: 2 }) }),
  fc.record({ words: queries, fields: fc.array(values, { maxLength: 1 }) }),
);

const requests = fc.record({
  inboxes: fc.subarray(inboxes, { minLength: 1 }),
  states: fc.option(fc.subarray(['open', 'waiting', 'muted', 'closed'], { minLength: 1 })),
  tags: fc.option(fc.subarray(['vip', "o'x", 'a b', '東京'], { minLength: 1, maxLength: 2 }), { freq: 1 }),
  assignees: fc.option(fc.subarray(['none', ...people], { minLength: 1 }), { freq: 1 }),
  record: fc.option(few(records), { freq: 1 }),
  created: ranges,
  seen: ranges,
  words: fc.option(queries, { freq: 1 }),
  contents: fc.option(contents, { freq: 1 }),
  overdue: yesNo,
  triaged: yesNo,
  snoozed: yesNo,
  sort: few(itemSorts),
  descending: fc.boolean(),
  limit: fc.constantFrom(1, 2, 7, 50, 200),
  pace: few(paces),
});

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
          expect(await paged(db, request, pace)).to.deep.equal(ids);
          expect(await countItems(db, request, pace)).to.equal(ids.length);
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
        paged(db, { ...all, words: search.split(' ') }, pace),
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
    ['100%', ['100% off', '100 off', 'x100%', '(100%)'], [0]],
    ['fail', ['Payment FAILED', 'unfailing', 'pre-failure', 'fai'], [0, 2]],
    ['payment-f', ['payment-failed', 'payment failed', 'a payment-frozen b'], [0, 2]],
    ['inv-2024 paid', ['INV-2024-17 was paid', 'paid: INV-2024', 'INV 2024 paid', 'INV-2024'], [0, 1]],
    ['café', ['CAFE\u0301 closed', 'Café', 'cafe'], [0, 1]],
    ['cafe', ['CAFE\u0301', 'Cafeteria'], [1]],
    ['οδος', ['ΟΔΟΣ', 'ΟΔΟΣΑ', 'οδός'], [0, 1]],
    ['注', ['新しい注文', '注文', '文'], [0, 1]],
    ['注文', ['新しい注文が来た', '文注', '注 文'], [0]],
    ['サーバー', ['サーバーが落ちた', 'サーバ', 'Webサーバー503'], [0, 2]],
    ['注文が届かない', ['昨日の注文が届かないと言う', '注文が届かな'], [0]],
    ['สวัส', ['คำว่าสวัสดีครับ', 'สวั'], [0]],
    ['한국', ['한국어', '대한국어'], [0]],
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
    const many = Array.from({ length: 20 }, (_, n) => ({ name: `inbox${String(n)}`, states }));
    const items = Array.from({ length: 300 }, (_, n) =>
      item(n, { inbox: `inbox${String(n % 20)}`, state: `state${String(n % 7)}`, occurrences: n % 4 }),
    );
    const all: ItemListRequest = { ...(await given(items)), inboxes: many };
    for (const more of [
      {},
      { sort: 'occurrences' as const },
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
