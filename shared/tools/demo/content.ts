/** Writes the demo's records and items, with history, counts and what they are found by: all or nothing. Used by loadDemo.ts. */
import type { Definition } from '../../environments/definition.ts';
import { insertWords } from '../../items/indexTexts.ts';
import type { WordsRow } from '../../items/itemWords.ts';
import type { Item } from '../../items/model.ts';
import { countDeltas } from '../../items/perform/eventBatch.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { executeStatement, statement } from '../../platform/db/sql.ts';
import { actorOfRow, eventInsert } from '../../platform/journal/events.ts';
import { sameColumns } from '../../platform/journal/insertText.ts';
import { getIndexing, newStamp } from '../../records/terms.ts';
import { toIndexedRow } from '../../records/write.ts';
import { dropIndexes } from './dropIndexes.ts';
import { demoItems } from './generate.ts';
import { eventRows, itemOfDemo, itemRow, occurrenceRows, type Cast, type EventRow } from './rows.ts';
import type { DemoItem, DemoRecord } from './types.ts';
import { wordsRows } from './words.ts';

const insertRecords = statement(
  'demo.records',
  `
  with given as (
    select * from json_to_recordset($3::json) as g(id text, title text, title_key text, subtitle text, fields jsonb, updated_at bigint, terms text, keys json)),
  written as (
    insert into records (env, resource, id, title, subtitle, fields, updated_at, title_key, terms, shape, stamp)
    select $1, $2, id, title, subtitle, fields, updated_at, title_key, array_to_tsvector(string_to_array(terms, E'\\x1e')), $4, $5::bigint from given
    on conflict do nothing returning id)
  insert into record_keys (env, resource, field, missing, num, text, id, stamp)
  select $1, $2, k.field, k.missing, k.num, k.text, g.id, $5::bigint
  from given g join written using (id), json_to_recordset(g.keys) as k(field text, missing boolean, num float8, text text)`,
);
const insertItems = statement(
  'demo.items',
  `
  insert into items (env, id, version, inbox, title, title_key, state, closed, record_resource, record_id, record_title, links, tags, assignee,
    occurrences, users, first_seen, last_seen, due_at, fields, snoozed_until, triaged, triage, key, occurred_entry, created_at, updated_at, terms)
  select $1, id, version, inbox, title, title_key, state, closed, record_resource, record_id, record_title, links, tags, assignee,
    occurrences, users, first_seen, last_seen, due_at, fields, snoozed_until, triaged, triage, key, occurred_entry, created_at, updated_at,
    array_to_tsvector(terms)
  from json_to_recordset($2::json) as i(id text, version int, inbox text, title text, title_key text, state text, closed boolean,
    record_resource text, record_id text, record_title text, links jsonb, tags text[], assignee text, occurrences int, users int,
    first_seen bigint, last_seen bigint, due_at bigint, fields json, snoozed_until bigint, triaged boolean, triage jsonb, key text,
    occurred_entry jsonb, created_at bigint, updated_at bigint, terms text[])`,
);

const insertOccurrences = statement(
  'demo.occurrences',
  `
  insert into occurrences (env, item, at, id, title, data)
  select $1, item, at, id, title, data from json_to_recordset($2::json) as o(item text, at bigint, id text, title text, data json)`,
);

const insertEvents = statement(
  'demo.events',
  eventInsert(
    {
      ...actorOfRow('e'),
      ...sameColumns([
        'at',
        'verb',
        'target_type',
        'target',
        'inbox',
        'item',
        'entry',
        'type',
        'data',
        'before',
        'after',
      ]),
      env: '$1',
    },
    {
      from: `json_to_recordset($2::json) as e(n bigint, at bigint, actor_type text, actor text, actor_name text, role text, verb text,
        request_id text, address text, target_type text, target text, inbox text, item text, entry text, type text, data json, before json, after json)`,
      orderBy: 'at, n',
    },
  ),
);

const insertCounts = statement(
  'demo.counts',
  `
  insert into counts (env, inbox, measure, n)
  select $1, inbox, measure, n from json_to_recordset($2::json) as c(inbox text, measure text, n bigint)
  where not starts_with(measure, '#')
  on conflict (env, inbox, measure) do update set n = counts.n + excluded.n`,
);
const insertTagCounts = statement(
  'demo.tagCounts',
  `
  insert into tag_counts (env, inbox, tag, n)
  select $1, inbox, substr(measure, 2), n from json_to_recordset($2::json) as c(inbox text, measure text, n bigint)
  where starts_with(measure, '#')
  on conflict (env, inbox, tag) do update set n = tag_counts.n + excluded.n`,
);
const markOverdue = statement(
  'demo.overdue',
  `
  insert into streams (env, overdue_mark, counted) values ($1, $2, $2)
  on conflict (env) do update set overdue_mark = excluded.overdue_mark, counted = streams.position + excluded.overdue_mark`,
);

/** Rows per statement: enough that the time of the round trip doesn't matter. */
const batchRows = 1_000;

interface Content {
  readonly env: number;
  readonly definition: Definition;
  readonly cast: Cast;
  readonly records: readonly DemoRecord[];
  readonly seed: number;
  readonly now: number;
  readonly items: number;
  readonly say: (line: string) => void;
}

/** Adds an item to its inbox's counts, with `overdue` as of `now`. */
const count = (counts: Map<string, number>, item: Item, now: number): void => {
  const late = !item.closed && item.dueAt !== null && item.dueAt <= now;
  const overdue = !late ? [] : item.snoozedUntil === null ? ['overdue', 'activeOverdue'] : ['overdue'];
  for (const measure of [...Object.keys(countDeltas(null, item)), ...overdue]) {
    const place = `${item.inbox} ${measure}`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
};

const countRows = (counts: ReadonlyMap<string, number>): object[] =>
  [...counts].map(([place, n]) => {
    const inbox = place.slice(0, place.indexOf(' '));
    const measure = place.slice(inbox.length + 1);
    return { inbox, measure, n };
  });

interface Batch {
  readonly items: readonly object[];
  readonly occurrences: readonly object[];
  readonly words: readonly WordsRow[];
  readonly events: readonly EventRow[];
}

const batchOf = (
  batch: readonly DemoItem[],
  first: number,
  counts: Map<string, number>,
  { env, definition, cast, now }: Content,
): Batch => {
  const items: object[] = [];
  const occurrences: object[] = [];
  const words: WordsRow[] = [];
  const events: EventRow[] = [];
  for (const [i, demo] of batch.entries()) {
    const inbox = definition.inboxes.get(demo.inbox);
    if (inbox === undefined)
      throw new Error(`The environment declares no inbox ${demo.inbox}, so the demo can't be loaded into it.`);
    const item = itemOfDemo(demo, first + i, { env, cast, inbox });
    items.push(itemRow(env, item));
    const place = { env, n: first + i, item: item.id };
    const written = { item, occurrences: occurrenceRows(demo, place), events: eventRows(demo, cast, place) };
    occurrences.push(...written.occurrences);
    events.push(...written.events);
    words.push(...wordsRows(env, inbox, written));
    count(counts, item, now);
  }
  return { items, occurrences, words, events };
};

/** The transactions of two connections, so that PostgreSQL writes with two processes. */
interface Writers {
  readonly items: Tx;
  /** Of what an earlier try may have left, as nothing but the items says that it is there. */
  readonly texts: Tx;
}

const writeBatch = async (writers: Writers, env: number, batch: Batch): Promise<void> => {
  const writeItems = async (): Promise<void> => {
    await executeStatement(writers.items, insertItems, [env, JSON.stringify(batch.items)]);
    await executeStatement(writers.items, insertEvents, [env, JSON.stringify(batch.events)]);
  };
  const writeTexts = async (): Promise<void> => {
    await executeStatement(writers.texts, insertOccurrences, [env, JSON.stringify(batch.occurrences)]);
    await insertWords(
      writers.texts,
      batch.words.map((row) => ({ ...row, env })),
    );
  };
  await Promise.all([writeItems(), writeTexts()]);
};

/** Writes the records with what they are found and sorted by. */
const writeRecords = async (tx: Tx, { env, definition, records }: Content): Promise<void> => {
  const indexRecords = await dropIndexes(tx, ['records', 'record_keys']);
  for (const name of new Set(records.map(({ resource }) => resource))) {
    const all = records.filter((record) => record.resource === name);
    const resource = definition.resources.get(name);
    if (resource === undefined)
      throw new Error(`The environment declares no resource ${name}, so the demo can't be loaded into it.`);
    const indexing = getIndexing(definition, resource);
    for (let first = 0; first < all.length; first += batchRows) {
      const rows = all.slice(first, first + batchRows).map((record) => toIndexedRow(env, name, indexing, record));
      await executeStatement(tx, insertRecords, [env, name, JSON.stringify(rows), indexing.shape, newStamp()]);
    }
  }
  await indexRecords();
};

/** Writes the items with their events. Returns the number of timeline entries. */
const writeItems = async (writers: Writers, content: Content): Promise<number> => {
  const { env, seed, now, items, say } = content;
  const counts = new Map<string, number>();
  let made = 0;
  let entries = 0;
  // Items come by the time of their creation, so all events before the newest item's creation are known. The
  // log is written in order of time, and later events wait for the next batch.
  let later: EventRow[] = [];
  // PostgreSQL writes one batch while the next one is made.
  let writing = Promise.resolve();
  for (const generated of demoItems(seed, now, items)) {
    const batch = batchOf(generated, made, counts, content);
    made += generated.length;
    entries += batch.events.length;
    const until = made < items ? (generated.at(-1)?.createdAt ?? 0) : Infinity;
    const waiting = [...later, ...batch.events];
    later = waiting.filter(({ at }) => at >= until);
    await writing;
    writing = writeBatch(writers, env, { ...batch, events: waiting.filter(({ at }) => at < until) });
    // The promise is awaited above or below, but not if making the next batch fails.
    writing.catch(() => undefined);
    if (made % 5_000 === 0 && made < items)
      say(`demo: ${made.toLocaleString('en')} of ${items.toLocaleString('en')} items …`);
  }
  await writing;
  const counted = JSON.stringify(countRows(counts));
  await executeStatement(writers.items, insertCounts, [env, counted]);
  await executeStatement(writers.items, insertTagCounts, [env, counted]);
  await executeStatement(writers.items, markOverdue, [env, now]);
  return entries;
};

const forgetOccurrences = statement('demo.forgetOccurrences', 'delete from occurrences where env = $1');
/** Where the demo's items are the only ones, their words are all that there are: the sweep that follows the events begins behind them. */
const skipIndexed = statement(
  'demo.skipIndexed',
  `
  update item_words_progress set event = (select max(id) from events)
  where not exists (select from items where env <> $1)`,
);
const forgetWords = statement('demo.forgetWords', 'delete from item_words where env = $1');

/** Fills an environment that has no items, in `tx`; what items are found by is there before `tx` ends. Returns the number of timeline entries. */
export const writeContent = async (db: Db, tx: Tx, content: Content): Promise<number> => {
  const { env } = content;
  await writeRecords(tx, content);
  const indexItems = await dropIndexes(tx, ['items', 'events']);
  return db.transaction(async (texts) => {
    await executeStatement(texts, forgetOccurrences, [env]);
    await executeStatement(texts, forgetWords, [env]);
    const indexTexts = await dropIndexes(texts, ['occurrences', 'item_words']);
    const entries = await writeItems({ items: tx, texts }, content);
    await Promise.all([indexItems(), indexTexts()]);
    await executeStatement(tx, skipIndexed, [env]);
    return entries;
  });
};
