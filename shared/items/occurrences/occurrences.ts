/** Occurrences of items: their form, their JSON, the statements that read them, and the trimming of items with very many. Written by perform/write.ts; read for lists, details and timelines. */
import type { Db } from '../../platform/db/knex.ts';
import { queryRow, queryRows, statement, executeStatement } from '../../platform/db/sql.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { idSchema, nullable, responseObject, Type } from '../../platform/json/schema.ts';
import type { Item } from '../model.ts';

/** One report of an item, the first one being its creation. */
export interface Occurrence {
  readonly id: string;
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  readonly title: string;
  /** JSON text, as it is stored and as responses contain it; null: from before content was kept. */
  readonly data: string | null;
  readonly user: string | null;
}

/** The place of an occurrence in the list of its item, as timeline entries refer to it. */
interface OccurrenceRef {
  readonly id: string;
  readonly at: number;
}

export const occurrenceSchema = responseObject({
  id: idSchema('occ', 'Id.'),
  at: Type.Integer({ description: 'at (milliseconds since 1970 UTC)' }),
  title: Type.String({ description: 'Its title.' }),
  data: nullable(Type.Object({}, { description: 'Its data; null: from before content was kept.' })),
  user: nullable(Type.String({ description: 'Who was affected.' })),
});

/** Returns the id of the occurrence that created the item. */
export const creationId = (itemId: string): string => `occ_${itemId.slice(4)}`;

/** Returns the JSON of an occurrence. */
export const occurrenceJson = ({ id, at, title, data, user }: Occurrence): string =>
  `{"id":"${id}","at":${String(at)},"title":${JSON.stringify(title)},"data":${data ?? 'null'},"user":${JSON.stringify(user)}}`;

/** Returns the occurrence of `occurrenceJson` as an object. */
export const presentOccurrence = (occurrence: Occurrence): Readonly<Record<string, unknown>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- occurrenceJson makes the text of an object
  JSON.parse(occurrenceJson(occurrence)) as Readonly<Record<string, unknown>>;

const columns = `o.id, o.at, o.title, o.data::text as data, o.who as "user"`;

const pageSql = statement(
  'occurrences.page',
  `select ${columns} from occurrences o
  where o.env = $1 and o.item = $2 and (o.at, o.id) < ($3::bigint, $4) order by o.at desc, o.id desc limit $5`,
);
const oneSql = statement(
  'occurrences.one',
  'select 1 as found from occurrences where env = $1 and item = $2 and at = $3 and id = $4',
);
const referredSql = statement(
  'occurrences.referred',
  `select ${columns} from unnest($2::text[], $3::bigint[], $4::text[]) as wanted(item, at, id)
  join occurrences o on o.env = $1 and o.item = wanted.item and o.at = wanted.at and o.id = wanted.id`,
);

/** Where a page of the list begins: after this occurrence, with so many before it. */
interface OccurrencePlace extends OccurrenceRef {
  readonly listed: number;
}

const listStart: OccurrencePlace = { at: Number.MAX_SAFE_INTEGER, id: '', listed: 0 };

interface OccurrencePage {
  readonly occurrences: readonly Occurrence[];
  /** Where the next page begins; null on the last page. */
  readonly next: OccurrencePlace | null;
}

/** Returns the creation of an item as it is shown from before content was kept. */
export const withoutContent = ({ id, firstSeen: at, title }: Item): Occurrence => ({
  id: creationId(id),
  at,
  title,
  data: null,
  user: null,
});

/** Returns the creation of an item from before content was kept, or null when the creation has a row. */
const contentlessCreation = async (db: Db, envId: number, item: Item): Promise<Occurrence | null> => {
  const stored = await queryRow(db, oneSql, [envId, item.id, item.firstSeen, creationId(item.id)]);
  return stored === undefined ? withoutContent(item) : null;
};

/**
 * Returns a page of the newest `keep` occurrences of an item (null: of all), newest first, from `after` on. Of those from
 * before content was kept only the creation is listed, as the last one.
 */
export const readOccurrences = async (
  db: Db,
  envId: number,
  item: Item,
  { keep, after, limit }: { keep: number | null; after: OccurrencePlace | null; limit: number },
): Promise<OccurrencePage> => {
  const from = after ?? listStart;
  const left = (keep ?? Number.MAX_SAFE_INTEGER) - from.listed;
  const size = Math.min(limit, left);
  if (size <= 0) return { occurrences: [], next: null };
  const found = await queryRows<Occurrence>(db, pageSql, [envId, item.id, from.at, from.id, size + 1]);
  const isEnd = found.length <= size;
  const missing = isEnd && from.listed + found.length < item.occurrences;
  const creation = missing ? await contentlessCreation(db, envId, item) : null;
  const rows = creation === null ? found : [...found, creation];
  const occurrences = rows.slice(0, size);
  const last = occurrences.at(-1);
  const isLastPage = rows.length <= size || size === left;
  return {
    occurrences,
    next: isLastPage || last === undefined ? null : { at: last.at, id: last.id, listed: from.listed + size },
  };
};

/** A column of the item's detail: its newest occurrence as JSON. */
export const latestOccurrenceSql = `(select json_build_object('id', o.id, 'at', o.at, 'title', o.title, 'data', o.data, 'user', o.who)::text
  from occurrences o where o.env = $1 and o.item = $2 order by o.at desc, o.id desc limit 1)`;

const toRef = (value: unknown): OccurrenceRef | null => {
  if (!isObject(value)) return null;
  const { id, at } = value;
  return typeof id === 'string' && typeof at === 'number' ? { id, at } : null;
};

interface OccurredEntry {
  /** null: of an item that the reader does not see. */
  readonly item: string | null;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns the entries with the occurrences that their data refers to: null for one that is not kept any more. */
export const withOccurrences = async <E extends OccurredEntry>(
  db: Db,
  envId: number,
  entries: readonly E[],
): Promise<E[]> => {
  const refs = entries.flatMap(({ item, type, data }) => {
    const ref = type === 'occurred' ? toRef(data['occurrence']) : null;
    return item === null || ref === null ? [] : [{ item, ...ref }];
  });
  const found =
    refs.length === 0
      ? []
      : await queryRows<Occurrence>(db, referredSql, [
          envId,
          refs.map(({ item }) => item),
          refs.map(({ at }) => at),
          refs.map(({ id }) => id),
        ]);
  const byId = new Map(found.map((occurrence) => [occurrence.id, presentOccurrence(occurrence)]));
  return entries.map((entry) =>
    entry.type === 'occurred'
      ? { ...entry, data: { ...entry.data, occurrence: byId.get(toRef(entry.data['occurrence'])?.id ?? '') ?? null } }
      : entry,
  );
};

interface EntryRow {
  /** The event by which it was written. */
  readonly event: number;
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** Types of the entries that are written anew. */
const updatedTypes: readonly string[] = ['reply', 'action', 'approval', 'occurred'];

/** Looks from the oldest of the entries on. */
const latestSql = statement(
  'timeline.latest',
  `
  select w.entry, u.data from unnest($2::text[]) as w(entry) cross join lateral (
    select u.data from events u where u.env = $1 and u.entry = w.entry and u.is_update and u.id > $3 order by u.id desc limit 1) u`,
);

/** Returns the rows with their latest data. */
export const withLatestData = async <R extends EntryRow>(db: Db, envId: number, rows: readonly R[]): Promise<R[]> => {
  const updated = rows.filter(({ type }) => updatedTypes.includes(type));
  if (updated.length === 0) return [...rows];
  const first = Math.min(...updated.map(({ event }) => event));
  const entries = updated.map(({ id }) => id);
  const found = await queryRows<{ entry: string; data: R['data'] }>(db, latestSql, [envId, entries, first]);
  const latest = new Map(found.map(({ entry, data }) => [entry, data]));
  // Only the first version of an entry has `knew`.
  return rows.map((row) => {
    const { knew } = row.data;
    return { ...row, data: { ...(latest.get(row.id) ?? row.data), ...(knew === undefined ? {} : { knew }) } };
  });
};

/** Rows of one statement: few, so that locks are short. */
const batchRows = 1_000;

const overflowingSql = statement(
  'occurrences.overflowing',
  `select o.env, o.item, i.inbox, array_agg(o.id) as marks from occurrences o join items i on i.env = o.env and i.id = o.item
  where o.overflow group by o.env, o.item, i.inbox limit 100`,
);
const deleteOldSql = statement(
  'occurrences.deleteOld',
  `delete from occurrences o using (
    select at, id from occurrences where env = $1 and item = $2 order by at desc, id desc offset $3 limit ${String(batchRows)}
  ) old
  where o.env = $1 and o.item = $2 and o.at = old.at and o.id = old.id`,
);
/** Of all that are gone, as a sweep of older texts may have indexed one while it was deleted. */
const forgetSql = statement(
  'occurrences.forget',
  `delete from item_words w where w.env = $1 and w.item = $2 and w.source like 'occ\\_%'
  and not exists (select from occurrences o where o.env = $1 and o.item = $2 and o.id = w.source)`,
);
const unmarkSql = statement(
  'occurrences.unmark',
  'update occurrences set overflow = false where env = $1 and item = $2 and id = any($3)',
);

interface OverflowingItem {
  readonly env: number;
  readonly item: string;
  readonly inbox: string;
  /** The ids of its occurrences that are marked; marks of later ones are left for the next run. */
  readonly marks: readonly string[];
}

export const readOverflowingItems = (db: Db): Promise<OverflowingItem[]> => queryRows(db, overflowingSql);

/** Deletes the occurrences of an item beyond the newest `keep` (null: none), then its marks, so that a killed sweep is repeated. */
export const trimItem = async (db: Db, { env, item, marks }: OverflowingItem, keep: number | null): Promise<void> => {
  if (keep !== null) while ((await executeStatement(db, deleteOldSql, [env, item, keep])) === batchRows);
  await executeStatement(db, forgetSql, [env, item]);
  await executeStatement(db, unmarkSql, [env, item, marks]);
};
