/** What listing items must answer, written anew in JavaScript, and random items and requests to compare with. Used by list.test.ts. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { itemSorts, type ItemSort } from '../../shared/app/items/members.ts';
import { listItems } from '../../shared/items/list/page.ts';
import { type CursorKeys, type ItemListRequest } from '../../shared/items/list/request.ts';
import { defaultItemScanLimits, type ItemScanLimits } from '../../shared/items/list/scan.ts';
import type { RecordRef } from '../../shared/items/model.ts';
import { furtherLexemes, itemLexemes, type ContentFilter, type WordsRow } from '../../shared/items/search/itemWords.ts';
import { itemTerms } from '../../shared/items/search/terms.ts';
import { type Db } from '../../shared/platform/db/knex.ts';
import { queryRows, statement, type TextRow } from '../../shared/platform/db/sql.ts';
import { rowId } from '../../shared/platform/ids.ts';
import { queryWords } from '../../shared/platform/words/searchWords.ts';

export interface Listed {
  readonly id: string;
  readonly inbox: string;
  readonly title: string;
  readonly state: string;
  readonly priority: string;
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

export const now = 1_795_000_000_000;
const week = 7 * 86_400_000;
export const people = ['per_01k0000000e000000000000001', 'per_01k0000000e000000000000002'];
export const inboxes = [
  {
    name: 'support',
    states: ['open', 'waiting', 'closed'],
    priorities: [['urgent'], ['high'], ['normal'], ['low'], []],
  },
  { name: 'errors', states: ['open', 'muted', 'closed'], priorities: [['p1'], ['p2'], ['normal', 'former']] },
  { name: 'abuse', states: ['open', 'closed'], priorities: [['normal'], ['low', 'high', 'p1']] },
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
  insert into items (env, id, inbox, title, title_key, state, priority, closed, tags, assignee, occurrences, users, first_seen, last_seen, due_at, snoozed_until,
    triaged, record_resource, record_id, links, fields, created_at, updated_at, terms)
  select $1, g.id, inbox, title, title_key, state, priority, closed, tags, assignee, occurrences, users, first_seen, last_seen, due_at, snoozed_until,
    triaged, record_resource, record_id, links, fields, created_at, last_seen, array_to_tsvector(terms)
  from json_to_recordset($2::json) as g(id text, inbox text, title text, title_key text, state text, priority text, closed boolean, tags text[], assignee text,
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

export const store = async (db: Db, env: number, items: readonly Listed[]): Promise<void> => {
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

const fold = (text: string): string =>
  text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
const withoutAccents = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u{300}-\u{36f}]/gu, '')
    .normalize('NFC');
const letter = /[\p{L}\p{N}]/u;

/** A word of a query without brackets, quotes and ends of sentences around it. */
const bare = (word: string): string =>
  letter.test(word) ? word.replace(/^["'([{<]+/, '').replace(/(?<=[\p{L}\p{N}\p{M}])["')\]}>?!.,;:]+$/u, '') : word;

const wordsOf = (query: string): string[] =>
  fold(query)
    .split(/\s+/u)
    .filter((word) => word !== '')
    .map(bare);

/** The contract's cut, written the simple way. */
const titleParts = (title: string): string[] =>
  [fold(title), withoutAccents(fold(title))]
    .flatMap((text) => text.split(/\s+/u))
    .flatMap((word) => [
      word,
      bare(word),
      ...(word.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).flatMap((run) =>
        unspaced.test(run) ? Array.from(run, (_, i) => run.slice(i)) : [run],
      ),
    ]);

const finds = (title: string, search: readonly string[]): boolean =>
  search.flatMap(wordsOf).every((word) => titleParts(title).some((part) => part.startsWith(word)));

/** The request with its words as lists take them. */
export const cut = (request: ItemListRequest): ItemListRequest => ({
  ...request,
  words: request.words?.flatMap(queryWords) ?? null,
  contents:
    request.contents === null ? null : { ...request.contents, words: request.contents.words.flatMap(queryWords) },
});

/** Every word begins a word of some text, and every field has the value. */
const contains = ({ title, fields, further }: Listed, { words: search, fields: wanted }: ContentFilter): boolean => {
  const texts = [title, ...Object.values(fields).filter((value) => typeof value === 'string'), ...further];
  return (
    search.flatMap(wordsOf).every((word) => texts.some((text) => finds(text, [word]))) &&
    wanted.every(
      ([name, value]) =>
        ['string', 'number', 'boolean'].includes(typeof fields[name]) && String(fields[name]) === value,
    )
  );
};

const fits = (item: Listed, request: ItemListRequest): boolean => {
  const {
    states,
    priority,
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
    (priority === null || priority.includes(item.priority)) &&
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
  priority: (item) =>
    inboxes.find(({ name }) => name === item.inbox)?.priorities.findIndex((rank) => rank.includes(item.priority)) ?? 0,
  lastSeen: (item) => item.lastSeen,
  firstSeen: (item) => item.firstSeen,
  occurrences: (item) => item.occurrences,
  users: (item) => item.users,
  title: (item) => item.title.toLowerCase(),
  due: (item) => item.dueAt,
};

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);

export const expected = (items: readonly Listed[], request: ItemListRequest): string[] => {
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

export const paged = async (db: Db, request: ItemListRequest, pace: ItemScanLimits): Promise<string[]> => {
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

export const data = fc.array(listed, { maxLength: 60 }).map((drafts) =>
  drafts.map(({ place, ...draft }, n): Listed => {
    const inbox = inboxes[place % 3] ?? { name: '', states: [], priorities: [] };
    const priorities = inbox.priorities.flat();
    const state = inbox.states[place % inbox.states.length] ?? '';
    return {
      ...draft,
      id: rowId('itm', draft.createdAt, (n * 7919) % 1009),
      inbox: inbox.name,
      state,
      priority: priorities[(place + n) % priorities.length] ?? '',
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

export const requests = fc.record({
  inboxes: fc.subarray(inboxes, { minLength: 1 }),
  states: fc.option(fc.subarray(['open', 'waiting', 'muted', 'closed'], { minLength: 1 })),
  tags: fc.option(fc.subarray(['vip', "o'x", 'a b', '東京'], { minLength: 1, maxLength: 2 }), { freq: 1 }),
  assignees: fc.option(fc.subarray(['none', ...people], { minLength: 1 }), { freq: 1 }),
  record: fc.option(few(records), { freq: 1 }),
  priority: fc.option(fc.subarray(['urgent', 'high', 'normal', 'low', 'p1', 'former'], { minLength: 1 }), { freq: 1 }),
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
