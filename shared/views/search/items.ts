/** Finds items for a search: those whose titles begin with it or have its words, and the newest with them anywhere. Used by search.ts. */
import type { Caller } from '../../accounts/access/principal.ts';
import { toListed, visibleInboxes } from '../../items/filters/filters.ts';
import { listItems, type ItemPage } from '../../items/list/page.ts';
import { unfiltered, type CursorKeys, type ItemListRequest } from '../../items/list/request.ts';
import { defaultItemScanLimits } from '../../items/list/scan.ts';
import { placeOf } from '../../items/model.ts';
import { itemRowJson } from '../../items/present.ts';
import { contentQueries, storedTexts, textsIn, type StoredText } from '../../items/search/itemWords.ts';
import type { Db } from '../../platform/db/knex.ts';
import { queryRows, statement, type TextRow } from '../../platform/db/sql.ts';
import { idTime } from '../../platform/ids.ts';
import { firstEventId, type PastEvents } from '../../platform/journal/pastEvents.ts';
import type { ViewDeps } from '../deps.ts';
import { rateTexts, type FoundText } from './excerpt.ts';

/** Further texts of one item that are looked at: enough to show one. */
const textsPerItem = 3;

/** A search that has found nothing in the time of a page goes on for so many milliseconds. */
const searchMs = 1_000;

/** Words from which on a query is looked up as the beginning of a title; fewer match too many titles. */
const prefixWords = 3;
/** Inboxes up to which it is: the look-up reads an index range for each inbox and state. */
const prefixInboxes = 200;
/** Time budget of a page of the word searches, in ms, once titles are found by their beginning. */
const pageMsAfterPrefix = 40;
const hurried = { ...defaultItemScanLimits, pageMs: pageMsAfterPrefix };

/** How much a hit counts by where it is. */
const weights = { title: 4, fields: 2, further: 1 } as const;

const furtherTextsSql = statement(
  'search.furtherTexts',
  `
  select f.item, o.title, coalesce(o.data::text, e.data::text) as data, e.type
  from unnest($2::text[]) as g(item)
  cross join lateral (
    select w.item, w.source from item_words w where w.env = $1 and w.item = g.item and w.source <> '' and w.words @@ any ($3::tsquery[])
    order by w.source desc limit ${String(textsPerItem)}) f
  left join lateral (
    select o.title, o.data from occurrences o where o.env = $1 and o.item = f.item and o.id = f.source limit 1) o on true
  left join lateral (
    select e.data, e.type from events e where e.env = $1 and e.item = f.item and e.entry = f.source and e.entry is not null and not e.is_update and e.id >= $4 limit 1) e on true`,
);

interface FurtherText extends StoredText {
  readonly item: string;
}

/** Returns the texts of occurrences, notes and replies of items in which one of the words stands. */
const readFurtherTexts = async (
  db: Db,
  { env, inboxes }: Pick<ItemListRequest, 'env' | 'inboxes'>,
  words: readonly string[],
  items: readonly string[],
  past: PastEvents,
): Promise<Map<string, FoundText[]>> => {
  const names = inboxes.map(({ name }) => name);
  const queries = words.flatMap((word) => contentQueries(env, names, { words: [word], fields: [] }).compared().same);
  const found =
    items.length === 0
      ? []
      : await queryRows<FurtherText>(db, furtherTextsSql, [
          env,
          items,
          queries,
          firstEventId(past, Math.min(...items.map(idTime))),
        ]);
  const texts = new Map<string, FoundText[]>();
  for (const row of found)
    texts.set(row.item, [
      ...(texts.get(row.item) ?? []),
      ...storedTexts(row).map((text) => ({ text, weight: weights.further })),
    ]);
  return texts;
};

const [titleAt, fieldsAt] = [placeOf('title'), placeOf('fields')];

const ownTexts = (row: TextRow): FoundText[] => [
  { text: row[titleAt] ?? '', weight: weights.title },
  ...textsIn(JSON.parse(row[fieldsAt] ?? '{}')).map((text) => ({ text, weight: weights.fields })),
];

/** What a search found: the object to answer, an excerpt, and how well it fits. */
export interface Hit {
  readonly result: Readonly<Record<string, unknown>>;
  readonly score: number;
}

export interface SearchRequest {
  readonly words: readonly string[];
  /** The words as one text, in lower case. */
  readonly query: string;
  readonly limit: number;
  readonly now: number;
  /** Where a search of items goes on whose time was over; null: it begins. */
  readonly after: CursorKeys | null;
}

interface ItemHits {
  readonly hits: readonly Hit[];
  /** Where the search goes on, as its time was over; null: it has found all, or as many as are asked for. */
  readonly next: CursorKeys | null;
}

/** Returns items whose titles begin with the query, in the order of titles; none for fewer than `prefixWords` words. */
const readTitlePrefix = async (
  db: Db,
  request: ItemListRequest,
  { words, query }: Pick<SearchRequest, 'words' | 'query'>,
): Promise<readonly TextRow[]> => {
  if (words.length < prefixWords || request.inboxes.length > prefixInboxes) return [];
  const { rows } = await listItems(db, { ...request, sort: 'title', descending: false, after: [query, ''] }, hurried);
  return rows.filter((row) => (row[titleAt] ?? '').toLowerCase().startsWith(query));
};

/** Returns the first page behind an empty one that has any rows, or the last one for which there is time. */
const readOn = async (db: Db, request: ItemListRequest, empty: ItemPage): Promise<ItemPage> => {
  const endsAt = performance.now() + searchMs;
  let page = empty;
  while (page.rows.length === 0 && page.next !== null && performance.now() < endsAt)
    page = await listItems(db, { ...request, after: page.next });
  return page;
};

const noPage: ItemPage = { rows: [], next: null };

/** Returns items that have all words, the best of at most twice `limit`; what goes on is of the items behind. */
export const searchItems = async (
  { db, directory }: Pick<ViewDeps, 'db' | 'directory'>,
  caller: Caller,
  { words, query, limit, now, after }: SearchRequest,
): Promise<ItemHits> => {
  const inboxes = visibleInboxes(caller).map(toListed);
  if (inboxes.length === 0) return { hits: [], next: null };
  const request: ItemListRequest = {
    env: caller.env.id,
    inboxes,
    ...unfiltered,
    now,
    sort: 'lastSeen',
    descending: true,
    after,
    limit,
  };
  const begins = after === null;
  const anywhere = { ...request, contents: { words, fields: [] } };
  const prefixed = begins ? await readTitlePrefix(db, request, { words, query }) : [];
  const scanLimits = prefixed.length === 0 ? defaultItemScanLimits : hurried;
  const [titled, all] = await Promise.all([
    begins ? listItems(db, { ...request, words }, scanLimits) : noPage,
    listItems(db, anywhere, scanLimits),
  ]);
  const found = [...prefixed, ...titled.rows, ...all.rows];
  // A title is among the contents, so what is left to be found is found by these.
  const last = found.length > 0 ? all : await readOn(db, anywhere, all);
  const isCut = [titled, last].some((page) => page.next !== null && page.rows.length < limit);
  const rows = new Map([...found, ...last.rows].map((row) => [row[0] ?? '', row]));
  const further = await readFurtherTexts(db, request, words, [...rows.keys()], directory.past());
  const hits = [...rows].map(([id, row]) => {
    const { score, matched } = rateTexts([...ownTexts(row), ...(further.get(id) ?? [])], words, query);
    const item: unknown = JSON.parse(itemRowJson(row, caller.principal.access));
    return { result: { type: 'item', item, matched }, score };
  });
  return { hits, next: isCut ? last.next : null };
};
