/**
 * Writes the rows of item_words that are missing: of occurrences, notes and replies, which changes leave to it, and of items that
 * a release without the table has written. Follows the events, once no earlier one can appear. For workers/sweeps/index.ts.
 */
import type { Environment } from '../../app/manifest/definition.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement, type SqlValue } from '../../platform/db/sql.ts';
import { furtherLexemes, itemLexemes, storedTexts, type StoredText, type WordsRow } from './itemWords.ts';

/** Events of one step, and texts that it writes at most: it takes about 0.1 s when all are missing. */
const stepEvents = 500;
const stepTexts = 500;

const progressSql = statement(
  'words.progress',
  'select event as until, (select last_value from events_id_seq) as last from item_words_progress',
);
/** The last of the next events: their ids are not dense, and a month's begin far behind those of the month before. */
const nextSql = statement(
  'words.next',
  `select max(id) as last from (select id from events where id > $1 and id <= $2 order by id limit ${String(stepEvents)}) e`,
);
const advanceSql = statement('words.advance', 'update item_words_progress set event = $2 where event = $1');

const lacks = (text: string, source: string): string =>
  `not exists (select from item_words w where w.env = ${text}.env and w.item = ${text}.item and w.source = ${source})`;

/**
 * $3 to $5: inboxes after their environments, how many occurrences each keeps, and whether these replace the item's content:
 * there a creation has a row of its own.
 */
const declaredInboxes =
  "unnest($3::text[], $4::int[], $5::bool[]) as k(place, keep, replaces) on k.place = i.env || ' ' || i.inbox";

/**
 * The occurrences of an inbox that keeps all of them are named by an event each. Of one that keeps some, an event names the newest
 * of those that it counts, so all that are kept are looked at; of one where they replace the content, that of the creation too.
 */
const missingSql = statement(
  'words.missing',
  `
  with touched as materialized (
    select e.env, e.item, e.entry, e.type, e.is_update, e.data #>> '{occurrence,id}' as occurrence, (e.data #>> '{occurrence,at}')::bigint as occurred_at
    from events e where e.id > $1 and e.id <= $2 and e.entry is not null and e.item is not null and e.type in ('created', 'occurred', 'note', 'reply')),
  t as materialized (select distinct env, item from touched)
  select t.env, t.item, '' as source from t join items i on i.env = t.env and i.id = t.item where ${lacks('t', "''")}
  union all
  select o.env, o.item, o.id from t join items i on i.env = t.env and i.id = t.item join ${declaredInboxes}
  cross join lateral (
    select o.env, o.item, o.id from occurrences o where o.env = t.env and o.item = t.item order by o.at desc, o.id desc limit k.keep) o
  where k.keep is not null and (o.id <> 'occ_' || substr(o.item, 5) or k.replaces) and ${lacks('o', 'o.id')}
  union all
  select o.env, o.item, o.id from touched t join items i on i.env = t.env and i.id = t.item join ${declaredInboxes}
  join occurrences o on o.env = t.env and o.item = t.item and o.at = t.occurred_at and o.id = t.occurrence
  where k.keep is null and ${lacks('o', 'o.id')}
  union all
  select o.env, o.item, o.id from t join items i on i.env = t.env and i.id = t.item join ${declaredInboxes}
  join occurrences o on o.env = t.env and o.item = t.item and o.id = 'occ_' || substr(t.item, 5)
  where k.keep is null and k.replaces and ${lacks('o', 'o.id')}
  union all
  select t.env, t.item, t.entry from touched t where t.type in ('note', 'reply') and not t.is_update and ${lacks('t', 't.entry')}
  limit ${String(stepTexts)}`,
);

/** Deletes the words of occurrences that later ones have displaced, of the items of the next events; a sweep deletes the occurrences themselves. */
const displacedSql = statement(
  'words.displaced',
  `
  delete from item_words w using (
    select t.env, t.item, o.id
    from (select distinct env, item from events where id > $1 and id <= $2 and entry is not null and item is not null and type = 'occurred') t
    join items i on i.env = t.env and i.id = t.item join ${declaredInboxes}
    cross join lateral (
      select w.source from item_words w where w.env = t.env and w.item = t.item and w.source > 'occ_' and w.source < 'occ~'
      except select id from (select o.id from occurrences o where o.env = t.env and o.item = t.item order by o.at desc, o.id desc limit k.keep) o) o(id)
    where k.keep is not null) gone
  where w.env = gone.env and w.item = gone.item and w.source = gone.id`,
);

export interface MissingText {
  readonly env: number;
  readonly item: string;
  /** An occurrence, an entry, or empty for the item itself. */
  readonly source: string;
}

interface StoredItem {
  readonly env: number;
  readonly item: string;
  readonly inbox: string;
  readonly title: string;
  readonly fields: string;
}

const lockedItemsSql = statement(
  'words.items',
  `
  select i.env, i.id as item, i.inbox, i.title, i.fields::text as fields from unnest($1::int[], $2::text[]) as t(env, item)
  join items i on i.env = t.env and i.id = t.item order by i.id for share of i`,
);

/** Locks events as every reader of theirs does. */
const lockEventsSql = statement('words.lockEvents', 'select from events limit 0');

interface FurtherText extends StoredText {
  readonly env: number;
  readonly item: string;
  readonly source: string;
}

const occurrencesSql = statement(
  'words.occurrences',
  `
  select o.env, o.item, o.id as source, o.title, o.data::text as data, null::text as type
  from unnest($1::int[], $2::text[], $3::text[]) as t(env, item, source)
  join occurrences o on o.env = t.env and o.item = t.item and o.id = t.source`,
);
const entriesSql = statement(
  'words.entries',
  `
  select e.env, e.item, e.entry as source, null::text as title, e.data::text as data, e.type from events e
  join unnest($3::int[], $4::text[]) as t(env, source) on e.env = t.env and e.entry = t.source
  where e.id > $1 and e.id <= $2 and not e.is_update`,
);
const entriesOfItemsSql = statement(
  'words.entriesOfItems',
  `
  select e.env, e.item, e.entry as source, null::text as title, e.data::text as data, e.type
  from unnest($1::int[], $2::text[], $3::text[]) as t(env, item, source)
  cross join lateral (
    select * from events e where e.env = t.env and e.item = t.item and e.entry = t.source and e.entry is not null and not e.is_update limit 1) e`,
);
const insertSql = statement(
  'words.insert',
  `
  insert into item_words (env, item, source, words)
  select env, item, source, array_to_tsvector(string_to_array(words, E'\\n'))
  from json_to_recordset($1::json) as t(env int, item text, source text, words text)
  on conflict (env, item, source) do update set words = excluded.words where item_words.source = ''`,
);

type IndexedText = WordsRow & { readonly env: number };

/** Inserts rows of item_words; an item's own row replaces the one that is there. */
export const insertWords = async (tx: Tx, rows: readonly IndexedText[]): Promise<void> => {
  await executeStatement(tx, insertSql, [JSON.stringify(rows)]);
};

type Environments = readonly Environment[];

/** Returns the parameters $3 to $5 of `missingSql`. */
const inboxColumns = (environments: Environments): SqlValue[] => {
  const inboxes = environments.flatMap(({ id, definition }) =>
    [...definition.inboxes.values()].map(({ name, onOccurrence }) => ({
      place: `${String(id)} ${name}`,
      ...onOccurrence,
    })),
  );
  return [
    inboxes.map(({ place }) => place),
    inboxes.map(({ keep }) => keep),
    inboxes.map(({ update }) => String(update)),
  ];
};

const columns = (texts: readonly MissingText[]): [number[], string[], string[]] => [
  texts.map(({ env }) => env),
  texts.map(({ item }) => item),
  texts.map(({ source }) => source),
];

/** Returns the rows of texts; their items are locked until the transaction ends, so that no content is replaced unseen. `range`: the ids of events among which all entries are; null: anywhere. */
export const cutTexts = async (
  tx: Tx,
  range: readonly [number, number] | null,
  missing: readonly MissingText[],
): Promise<IndexedText[]> => {
  // Before the items, as changes do: whoever waits here, behind the detaching of a month, keeps no change of an item waiting.
  await executeStatement(tx, lockEventsSql, []);
  const occurrences = missing.filter(({ source }) => source.startsWith('occ_'));
  const entries = missing.filter(({ source }) => source.startsWith('ent_'));
  const places = columns([...new Map(missing.map((text) => [`${String(text.env)} ${text.item}`, text])).values()]);
  const items = await queryRows<StoredItem>(tx, lockedItemsSql, [places[0], places[1]]);
  const [entryEnvs, entryItems, entryIds] = columns(entries);
  const further = [
    ...(await queryRows<FurtherText>(tx, occurrencesSql, columns(occurrences))),
    ...(range === null
      ? await queryRows<FurtherText>(tx, entriesOfItemsSql, [entryEnvs, entryItems, entryIds])
      : await queryRows<FurtherText>(tx, entriesSql, [...range, entryEnvs, entryIds])),
  ];
  const inboxes = new Map(items.map(({ env, item, inbox }) => [`${String(env)} ${item}`, inbox]));
  const own = new Set(missing.filter(({ source }) => source === '').map(({ env, item }) => `${String(env)} ${item}`));
  return [
    ...items
      .filter(({ env, item }) => own.has(`${String(env)} ${item}`))
      .map(({ env, item, inbox, title, fields }) => ({
        env,
        item,
        source: '',
        words: itemLexemes(env, inbox, title, fields),
      })),
    ...further.map((text) => ({
      env: text.env,
      item: text.item,
      source: text.source,
      words: furtherLexemes(text.env, inboxes.get(`${String(text.env)} ${text.item}`) ?? '', storedTexts(text)),
    })),
  ];
};

/** Writes what is missing of the first events of a range of ids. Returns up to which all is written, null: it has to be asked again. */
const indexStep = async (
  db: Db,
  environments: Environments,
  [from, end]: readonly [number, number],
): Promise<number | null> => {
  const to = (await queryRow<{ last: number | null }>(db, nextSql, [from, end]))?.last ?? end;
  const inboxes = inboxColumns(environments);
  const missing = await queryRows<MissingText>(db, missingSql, [from, to, ...inboxes]);
  if (missing.length > 0) await db.transaction(async (tx) => insertWords(tx, await cutTexts(tx, [from, to], missing)));
  if (missing.length === stepTexts) return null;
  await executeStatement(db, displacedSql, [from, to, ...inboxes]);
  return to;
};

/** The event up to which all texts are indexed, and the last event id that was drawn. */
interface IndexProgress {
  readonly until: number;
  readonly last: number;
}

export const readIndexProgress = async (db: Db): Promise<IndexProgress> =>
  (await queryRow<IndexProgress>(db, progressSql)) ?? { until: 0, last: 0 };

/** Writes what is missing of the next events up to `settled`. Returns whether there are more. */
export const indexNextTexts = async (db: Db, environments: Environments, settled: number): Promise<boolean> => {
  const { until: from } = await readIndexProgress(db);
  if (from >= settled) return false;
  const to = await indexStep(db, environments, [from, settled]);
  if (to === null) return true;
  await executeStatement(db, advanceSql, [from, to]);
  return to < settled;
};

/** Events that may be looked at before those in front of them are committed. */
const aheadMost = 5_000;

/**
 * Writes what is missing of the newest events that are committed: however long another transaction may still commit an earlier event,
 * for which `indexNextTexts` waits.
 */
export const indexNewestTexts = async (
  db: Db,
  environments: Environments,
  { until, last }: IndexProgress,
): Promise<void> => {
  let at: number | null = Math.max(last - aheadMost, until);
  while (at !== null && at < last) at = await indexStep(db, environments, [at, last]);
};
