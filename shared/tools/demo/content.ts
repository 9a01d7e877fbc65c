/** Makes the demo's records and items and writes them, with history, counts and what they are found by: all or nothing. Used by loadDemo.ts. */
import type { Environment } from '../../app/manifest/definition.ts';
import { creationId } from '../../items/occurrences/occurrences.ts';
import { insertWords } from '../../items/search/indexTexts.ts';
import {
  type WordsRow,
  entryTexts,
  furtherLexemes,
  itemLexemes,
  occurrenceTexts,
} from '../../items/search/itemWords.ts';
import { itemTerms } from '../../items/search/terms.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../../platform/db/sql.ts';
import { change, event, writeChange } from '../../platform/journal/changeWriter.ts';
import { actorOfRow, actorRecord, actorRow } from '../../platform/journal/events.ts';
import { sameColumns } from '../../platform/journal/inserts.ts';
import { reindexRecords } from '../../records/reindex.ts';
import { draftAbuse, draftError, draftRefund, draftSignup, draftSupport } from './drafts.ts';
import { play } from './plots.ts';
import { MS, Random } from './random.ts';
import { type DemoRecord, Shop } from './shop.ts';
import { type Cast, Story } from './story.ts';

const span = 120 * MS.day;
/** Above 1, so that there is more of the last days than of the first: the company grows. */
const growth = 1.25;
const batchSize = 1_000;

/** The first are the most frequent. */
const kinds = [draftSupport, draftError, draftRefund, draftSignup, draftAbuse];

interface ItemsOptions {
  readonly seed: number;
  /** Epoch milliseconds; nothing happens after it. */
  readonly now: number;
  readonly items: number;
  readonly env: Environment;
  readonly cast: Cast;
}

/** Returns the story of item `n`, which depends on nothing but the arguments. */
const tell = (shop: Shop, { seed, now, items, env, cast }: ItemsOptions, n: number): Story => {
  const random = new Random(seed, n);
  // Each item has its own slice of time, which keeps them in order without sorting.
  const at = now - Math.ceil(span * (1 - (n + random.next()) / items) ** growth);
  // Multiplying by an odd number never maps two of 2^32 to one, so handles differ.
  const handle = (Math.imul(n, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
  const draft = random.pick(kinds, 1.7)({ random, shop, at, handle });
  const inbox = env.definition.inboxes.get(draft.input.inbox);
  if (inbox === undefined)
    throw new Error(`The environment declares no inbox ${draft.input.inbox}, which the demo needs.`);
  const story = new Story({ draft, env, inbox, cast, random, n, now }, at);
  play(story);
  return story;
};

/** Yields the items in batches of 1,000, oldest first, and keeps none of them. */
export function* demoItems(options: ItemsOptions): Generator<Story[], void, undefined> {
  const shop = new Shop(options.seed, options.now);
  for (let first = 0; first < options.items; first += batchSize) {
    const length = Math.min(batchSize, options.items - first);
    yield Array.from({ length }, (_, n) => tell(shop, options, first + n));
  }
}

const eventColumns = [
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
];
const insertEvents = change('demo.events', {
  happened: event(
    { ...actorOfRow('e'), ...sameColumns(eventColumns) },
    {
      from: `json_to_recordset($events::json) as e(n bigint, at bigint, ${actorRecord}, verb text, target_type text, target text,
        inbox text, item text, entry text, type text, data json, before json, after json)`,
      orderBy: 'at, n',
    },
  ),
});

type Table = 'items' | 'occurrences' | 'records';

/** Inserts rows that have the same members, named as the columns; those that are there already stay. */
const insertRows = async (tx: Tx, table: Table, rows: readonly object[]): Promise<void> => {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  const text = `
  insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1::json) on conflict do nothing`;
  await executeStatement(tx, statement(`demo.${table}`, text), [JSON.stringify(rows)]);
};

const countItems = statement(
  'demo.counts',
  `
  insert into counts (env, inbox, measure, n)
  select i.env, i.inbox, m.measure, count(*) from items i
  cross join lateral (select not i.closed and i.snoozed_until is null as active, not i.closed and coalesce(i.due_at <= $2::bigint, false) as late) s
  cross join lateral (values ('total', true), ('=' || i.state, true), ('unassigned', i.assignee is null), ('snoozed', i.snoozed_until is not null),
    ('triaged', i.triaged), ('overdue', late), ('active', active), ('activeUnassigned', active and i.assignee is null), ('activeOverdue', active and late)) m(measure, holds)
  where i.env = $1 and m.holds group by i.env, i.inbox, m.measure
  on conflict (env, inbox, measure) do update set n = excluded.n`,
);
const countTags = statement(
  'demo.tagCounts',
  `
  insert into tag_counts (env, inbox, tag, n)
  select env, inbox, t.tag, count(*) from items cross join lateral unnest(tags) t(tag) where env = $1 group by env, inbox, t.tag
  on conflict (env, inbox, tag) do update set n = excluded.n`,
);
const markOverdue = statement(
  'demo.overdue',
  `
  insert into streams (env, overdue_mark, counted) values ($1, $2, $2)
  on conflict (env) do update set overdue_mark = excluded.overdue_mark, counted = streams.position + excluded.overdue_mark`,
);

/** Indexes of the tables and of their parts but those that keep rows unique. */
const indexesSql = statement(
  'demo.indexes',
  `
  select i.indexrelid::regclass::text as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition
  from pg_index i where i.indrelid = any ($1::regclass[]) and not i.indisunique`,
);

/**
 * Drops the indexes of those of the tables that are empty, in the transaction of `tx`, which locks such a table. Returns what makes
 * them again when the rows are there, which takes a fraction of the time.
 */
const dropIndexes = async (tx: Tx, tables: readonly string[]): Promise<() => Promise<void>> => {
  const empty: string[] = [];
  for (const table of tables) {
    const { rows } = await tx.raw<{ rows: readonly unknown[] }>('select from ?? limit 1', [table]);
    if (rows.length === 0) empty.push(table);
  }
  const indexes = await queryRows<{ name: string; definition: string }>(tx, indexesSql, [empty]);
  for (const { name } of indexes) await tx.raw(`drop index ${name}`);
  return async () => {
    await tx.raw("set local maintenance_work_mem = '128MB'");
    for (const { definition } of indexes) await tx.raw(definition);
  };
};

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const itemRow = ({ item, stage: { env } }: Story): object => {
  const { record, fields, ...same } = item;
  return {
    ...Object.fromEntries(Object.entries(same).map(([member, value]) => [snakeCase(member), value])),
    env: env.id,
    title_key: item.title.toLowerCase(),
    record_resource: record?.resource ?? null,
    record_id: record?.id ?? null,
    record_title: record?.title ?? null,
    fields: JSON.parse(fields) as unknown,
    // As the text of a tsvector.
    terms: itemTerms(env.id, item)
      .map((term) => `'${term.replace(/['\\]/g, '$&$&')}'`)
      .join(' '),
  };
};

const occurrenceRows = ({ item, said, stage: { env } }: Story): object[] =>
  said.map(({ id, at, title, data }) => ({
    env: env.id,
    item: item.id,
    id,
    at,
    title,
    data: JSON.parse(data ?? '{}') as unknown,
  }));

/** Returns an item's rows of item_words. The text of its creation is its own, unless occurrences replace that. */
const wordsRows = ({ item, said, entries, stage: { env, inbox } }: Story): (WordsRow & { readonly env: number })[] => {
  const row = (source: string, words: string) => ({ env: env.id, item: item.id, source, words });
  const texts = [
    ...said
      .filter(({ id }) => inbox.onOccurrence.update || id !== creationId(item.id))
      .map((one) => ({ id: one.id, all: occurrenceTexts(one) })),
    ...entries.map(({ id, type, data }) => ({ id, all: entryTexts(type, data) })),
  ];
  return [
    row('', itemLexemes(env.id, inbox.name, item.title, item.fields)),
    ...texts.filter(({ all }) => all.length > 0).map(({ id, all }) => row(id, furtherLexemes(env.id, inbox.name, all))),
  ];
};

/** The member that an operation of this name sets, as the audit log names it. */
const members = new Map([
  ['item.state', 'state'],
  ['item.assign', 'assignee'],
  ['item.snooze', 'snoozedUntil'],
]);

interface EventRow {
  readonly at: number;
}

/** Returns an item's rows of events, oldest first; the first of each change has the columns of the audit log. */
const eventRows = ({ item, said, entries, stage: { inbox, n } }: Story): EventRow[] =>
  entries.map(({ id: entry, at, type, actor, verb, data }, i) => {
    const member = members.get(verb ?? '');
    // Of an occurrence that later ones have displaced nothing is told.
    const { occurrence = null } = data as { occurrence?: { readonly id: string } };
    const isKept = said.some(({ id }) => id === occurrence?.id);
    return {
      at,
      n: n * 8 + i,
      ...actorRow(actor),
      role: verb === null ? null : actor.role,
      inbox: inbox.name,
      item: item.id,
      entry,
      type,
      data: type === 'occurred' ? { ...data, occurrence: isKept ? occurrence : null } : data,
      ...(verb === null ? {} : { verb, target_type: 'item', target: item.id }),
      ...(member === undefined ? {} : { before: { [member]: data['from'] }, after: { [member]: data['to'] } }),
    };
  });

/**
 * Writes the items, and their events in order of time, by two connections, so that PostgreSQL writes with two processes: `texts` writes
 * what was said. Returns the number of timeline entries.
 */
const writeItems = async (tx: Tx, texts: Tx, content: ItemsOptions): Promise<number> => {
  const { env, now, items } = content;
  let [made, entries] = [0, 0];
  // Items come by the time of their creation, so all events before the newest item's creation are known; later ones wait.
  let later: EventRow[] = [];
  // PostgreSQL writes one batch while the next one is made.
  let writing: Promise<unknown> = Promise.resolve();
  for (const stories of demoItems(content)) {
    const rows = stories.map(itemRow);
    const [said, words] = [stories.flatMap(occurrenceRows), stories.flatMap(wordsRows)];
    const told = stories.flatMap(eventRows);
    made += stories.length;
    entries += told.length;
    const until = made < items ? (stories.at(-1)?.item.createdAt ?? 0) : Infinity;
    const waiting = [...later, ...told];
    later = waiting.filter(({ at }) => at >= until);
    const events = JSON.stringify(waiting.filter(({ at }) => at < until));
    await writing;
    writing = Promise.all([
      insertRows(tx, 'items', rows).then(() => writeChange(tx, insertEvents, { env: env.id, events })),
      insertRows(texts, 'occurrences', said).then(() => insertWords(texts, words)),
    ]);
    // The promise is awaited above or below, but not if making the next batch fails.
    writing.catch(() => undefined);
  }
  await writing;
  await executeStatement(tx, countItems, [env.id, now]);
  await executeStatement(tx, countTags, [env.id]);
  await executeStatement(tx, markOverdue, [env.id, now]);
  return entries;
};

/** Where the demo's items are the only ones, their words are all that there are: the sweep that follows the events begins behind them. */
const skipIndexed = statement(
  'demo.skipIndexed',
  `
  update item_words_progress set event = (select max(id) from events)
  where not exists (select from items where env <> $1)`,
);
/** An earlier try may have left texts, as nothing but the items says that they are there. */
const forgetTexts = statement(
  'demo.forgetTexts',
  'with gone as (delete from occurrences where env = $1) delete from item_words where env = $1',
);

/** Fills an environment that has no items, in `tx`; what items are found by is there before `tx` ends. Returns the number of timeline entries. */
export const writeContent = async (
  db: Db,
  tx: Tx,
  { records, ...content }: ItemsOptions & { readonly records: readonly DemoRecord[] },
): Promise<number> => {
  const { env } = content;
  const rows = records.map(({ updatedAt, ...record }) => ({ ...record, env: env.id, updated_at: updatedAt }));
  await insertRows(tx, 'records', rows);
  await reindexRecords(tx, env);
  const indexItems = await dropIndexes(tx, ['items', 'events']);
  return db.transaction(async (texts) => {
    await executeStatement(texts, forgetTexts, [env.id]);
    const indexTexts = await dropIndexes(texts, ['occurrences', 'item_words']);
    const entries = await writeItems(tx, texts, content);
    await Promise.all([indexItems(), indexTexts()]);
    await executeStatement(tx, skipIndexed, [env.id]);
    return entries;
  });
};
