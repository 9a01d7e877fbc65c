/**
 * Cuts the words of all items anew, which a release before has cut otherwise: walks through item_words, and with an item's own row
 * through its terms, tags and key, which are stored as `cleanText` leaves them. It walks a second time a day later, as the release before
 * may have written meanwhile. It updates items by statements of its own (perform/writeSql.ts has all others): people see the same as
 * before, so that versions stay, and no entry or message follows. For workers/sweeps/index.ts.
 */
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { cleanText } from '../platform/words/texts.ts';
import { itemTermSeparator } from './perform/writeSql.ts';
import { cutTexts, type MissingText } from './search/indexTexts.ts';
import { itemTerms, type ItemTermSource } from './search/terms.ts';
import { sortedTags } from './tags.ts';

/** Texts of one step, which takes about 0.1 s. */
const stepTexts = 300;
const walks = 2;
const dayMs = 86_400_000;

interface Progress {
  /** Walks that have ended. */
  readonly walks: number;
  /** When the last one began; null: none has. */
  readonly startedAt: number | null;
  /** Environment, item and source of the last row that was cut; null: no walk is under way. */
  readonly place: readonly [string, string, string] | null;
}

/** SQL for whether a walk is under way or the next one may begin at $1, in epoch ms. */
export const isRecutDueSql = `exists (
  select from item_words_progress
  where recut_walks < ${String(walks)} and (recut_place is not null or recut_at is null or recut_at <= $1 - ${String(dayMs)}))`;
const progressSql = statement(
  'words.recutProgress',
  'select recut_walks as walks, recut_at as "startedAt", recut_place as place from item_words_progress',
);
const advanceSql = statement(
  'words.recutAdvance',
  'update item_words_progress set recut_walks = $1, recut_at = $2, recut_place = $3::text[]',
);
const nextSql = statement(
  'words.recutNext',
  `
  select env, item, source from item_words where (env, item, source) > ($1::int, $2, $3)
  order by env, item, source limit ${String(stepTexts)}`,
);
const wordsSql = statement(
  'words.recut',
  `
  update item_words w set words = n.words
  from (select env, item, source, array_to_tsvector(string_to_array(words, E'\\n')) as words
    from json_to_recordset($1::json) as t(env int, item text, source text, words text)) n
  where w.env = n.env and w.item = n.item and w.source = n.source and w.words is distinct from n.words`,
);
const itemsSql = statement(
  'words.recutItems',
  `
  select i.env, i.id, i.version, i.inbox, i.title, i.state, i.closed, i.tags, i.assignee, i.last_seen as "lastSeen", i.due_at as "dueAt",
    i.snoozed_until as "snoozedUntil", i.triaged, i.key
  from unnest($1::int[], $2::text[]) as t(env, id) join items i on i.env = t.env and i.id = t.id`,
);
/** Writes only items that are at the version that was read. */
const termsSql = statement(
  'words.recutTerms',
  `
  with given as (
    select env, id, version, array_to_tsvector(string_to_array(terms, E'${itemTermSeparator.replace('\n', '\\n')}')) as terms
    from json_to_recordset($1::json) as g(env int, id text, version int, terms text)),
  held as (
    select i.env, i.id from items i join given g on g.env = i.env and g.id = i.id
    where i.version = g.version and i.terms is distinct from g.terms order by i.env, i.id for no key update of i)
  update items i set terms = g.terms from given g join held using (env, id) where i.env = g.env and i.id = g.id`,
);

/** A key that another item has meanwhile stays as it is. */
const tidySql = statement(
  'words.recutTags',
  `
  with given as (select env, id, version, string_to_array(tags, ',') as tags, key from json_to_recordset($1::json) as g(env int, id text, version int, tags text, key text)),
  held as (
    select i.env, i.inbox, i.id, i.tags as former, g.tags, g.key from items i join given g on g.env = i.env and g.id = i.id
    where i.version = g.version order by i.env, i.id for update of i),
  counted as (
    insert into tag_counts (env, inbox, tag, n)
    select d.env, d.inbox, d.tag, sum(d.n) from (
      select env, inbox, unnest(tags) as tag, 1 as n from held union all select env, inbox, unnest(former), -1 from held) d
    group by d.env, d.inbox, d.tag having sum(d.n) <> 0 order by 1, 2, 3
    on conflict (env, inbox, tag) do update set n = tag_counts.n + excluded.n)
  update items i set tags = h.tags, key = case when exists (
      select from items o where o.env = h.env and o.inbox = h.inbox and o.key = h.key and o.id <> h.id) then i.key else h.key end
  from held h where i.env = h.env and i.id = h.id`,
);

type StoredTerms = ItemTermSource & {
  readonly env: number;
  readonly id: string;
  readonly version: number;
  readonly key: string | null;
};

/** Returns the item with tags and key as this release stores them. */
const tidied = <I extends StoredTerms>(item: I): I => ({
  ...item,
  tags: sortedTags(item.tags),
  key: item.key === null ? null : cleanText(item.key) || item.key,
});

const recutTerms = async (db: Db, own: readonly MissingText[]): Promise<void> => {
  const read = (): Promise<StoredTerms[]> =>
    queryRows<StoredTerms>(db, itemsSql, [own.map(({ env }) => env), own.map(({ item }) => item)]);
  const found = await read();
  const untidy = found
    .map(tidied)
    .filter((item, n) => item.key !== found[n]?.key || item.tags.join() !== found[n]?.tags.join());
  const rows = untidy.map(({ env, id, version, tags, key }) => ({ env, id, version, tags: tags.join(','), key }));
  if (rows.length > 0) await executeStatement(db, tidySql, [JSON.stringify(rows)]);
  const items = rows.length > 0 ? await read() : found;
  const given = items.map((item) => ({
    env: item.env,
    id: item.id,
    version: item.version,
    terms: itemTerms(item.env, item).join(itemTermSeparator),
  }));
  await executeStatement(db, termsSql, [JSON.stringify(given)]);
};

/** Cuts the next texts behind a place anew. Returns the place of the last one; null: there are no more. */
const recutStep = async (
  db: Db,
  [env, item, source]: readonly [string, string, string],
): Promise<Progress['place']> => {
  const texts = await queryRows<MissingText>(db, nextSql, [env, item, source]);
  const last = texts.at(-1);
  if (last === undefined) return null;
  await db.transaction(async (tx) => {
    await executeStatement(tx, wordsSql, [JSON.stringify(await cutTexts(tx, null, texts))]);
  });
  await recutTerms(
    db,
    texts.filter((text) => text.source === ''),
  );
  return [String(last.env), last.item, last.source];
};

/** Goes on with the walk that is under way, or begins the next one when its time has come. Returns whether there is more to cut. */
export const recutNextTexts = async (db: Db, now: number): Promise<boolean> => {
  const progress = await queryRow<Progress>(db, progressSql);
  if (progress === undefined || progress.walks >= walks) return false;
  const { place, startedAt } = progress;
  if (place === null && startedAt !== null && now < startedAt + dayMs) return false;
  const next = await recutStep(db, place ?? ['0', '', '']);
  const began = place === null || startedAt === null ? now : startedAt;
  await executeStatement(db, advanceSql, [
    progress.walks + (next === null ? 1 : 0),
    began,
    next === null ? null : [...next],
  ]);
  return next !== null;
};
