/** Reads an item's timeline from the events, one entry per entry id in its latest status, and redacts entries. For item details and the live stream. */
import type { Access } from '../accounts/access/access.ts';
import type { Caller } from '../accounts/access/principal.ts';
import type { ActorRef } from '../catalogue/events.ts';
import { limits } from '../catalogue/limits.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { idAt, idTime } from '../platform/ids.ts';
import { firstEventId, type PastDeps } from '../platform/journal/pastEvents.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { readVisiblePage } from '../platform/listing/page.ts';
import type { RecordRef } from './model.ts';
import { withLatestData, withOccurrences } from './occurrences/occurrences.ts';

export interface TimelineEntry {
  readonly id: string;
  readonly item: string;
  readonly type: string;
  readonly at: number;
  readonly actor: ActorRef;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EntryRow {
  readonly event: number;
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly actor_type: ActorRef['type'];
  readonly actor: string | null;
  readonly actor_name: string;
  readonly data: Record<string, unknown>;
}

/** Returns the SQL of entries of the item $2 of the environment $1 from the event $3 on, newest first. */
const entriesSql = (before: string, limit: string): string => `
  select e.id as event, e.entry as id, e.type, e.at, e.actor_type, e.actor, e.actor_name, e.data
  from events e
  where e.env = $1 and e.item = $2 and e.entry is not null and not e.is_update and e.id >= $3 and e.id < ${before}
  order by e.id desc limit ${limit}`;

const timelinePageSql = statement('timeline.page', entriesSql('$4', '$5'));
const newest = Number.MAX_SAFE_INTEGER;
/** A column of the item's detail: the entries that its first page is made of, as JSON. */
export const newestEntriesSql = `(select json_agg(e)::text from (${entriesSql(String(newest), String(limits.timelinePage + 1))}) e)`;

/** A column of the item's detail: the newest event of its timeline, also of a further version of an entry. */
export const newestEventSql =
  '(select e.id::text from events e where e.env = $1 and e.item = $2 and e.entry is not null and e.id >= $3 order by e.id desc limit 1)';

type EntryBody = Pick<TimelineEntry, 'type' | 'data'>;

/** Entries about actions have `data.about` besides their public data; it decides who sees the entry. */
const canSeeActionEntry = (access: Access, { action: named, about }: TimelineEntry['data']): boolean => {
  const { action = named, resource } = (about ?? {}) as { action?: unknown; resource?: string | null };
  return (
    (typeof action !== 'string' || access.can('action', action, 'run')) &&
    (typeof resource !== 'string' || access.sees('resource', resource))
  );
};

const resourceOf = (ref: unknown): string => (isObject(ref) ? String(ref['resource']) : '');

/** Returns the entry without `data.about`, or null when it names a record or an action that the role doesn't see. */
export const redactEntry = <E extends EntryBody>(access: Access, entry: E): E | null => {
  const { type, data } = entry;
  if (type === 'linked' || type === 'unlinked')
    return access.sees('resource', resourceOf(data['record'])) ? entry : null;
  if (type !== 'action' && type !== 'approval') return entry;
  const { about, ...rest } = data;
  if (!canSeeActionEntry(access, data)) return null;
  return about === undefined ? entry : { ...entry, data: rest };
};

interface TimelinePage {
  readonly entries: TimelineEntry[];
  /** The `before` of the next page, the id of an event; null on the last page. */
  readonly next: number | null;
}

interface TimelineRequest {
  readonly item: string;
  /** The event that the page begins behind; null: the newest page. */
  readonly before: number | null;
  readonly limit: number;
  /** The rows of the newest page, one more than it has, where they have been read. */
  readonly known?: readonly EntryRow[];
}

/** Returns a page of entries that the role sees, newest first. */
export const readTimeline = async (
  { db, directory }: PastDeps,
  envId: number,
  access: Access,
  { item, before, limit, known }: TimelineRequest,
): Promise<TimelinePage> => {
  const first = firstEventId(directory.past(), idTime(item));
  const { page, next } = await readVisiblePage(
    {
      from: before ?? newest,
      limit,
      read: async (from, wanted) =>
        withLatestData(
          db,
          envId,
          from === newest && known !== undefined
            ? known
            : await queryRows<EntryRow>(db, timelinePageSql, [envId, item, first, from, wanted]),
        ),
      positionOf: ({ event }) => event,
    },
    (row): TimelineEntry | null =>
      redactEntry(access, {
        id: row.id,
        item,
        type: row.type,
        at: row.at,
        actor: { type: row.actor_type, id: row.actor, name: row.actor_name },
        data: row.data,
      }),
  );
  return { entries: await withOccurrences(db, envId, page), next };
};

/** Entries of the audit log among which a caller's new items are looked for. */
const auditRead = 1_000;

const newItemsSql = statement(
  'items.newOf',
  `
  select i.id, i.created_at, i.title, i.fields from (
    select e.item, e.verb from events e where e.env = $1 and e.verb is not null and e.actor = $2 order by e.id desc limit ${String(auditRead)}
  ) e join items i on i.env = $1 and i.id = e.item
  where e.verb = 'item.create' and i.inbox = $3 and i.id >= $4
    and i.record_resource is not distinct from $5 and i.record_id is not distinct from $6
  order by i.id desc`,
);

interface NewItem {
  readonly id: string;
  readonly created_at: number;
  readonly title: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns the items of an inbox about a record that the caller has made since `since`, in epoch ms, newest first. */
export const readNewItems = (
  db: Db,
  { env, principal }: Caller,
  { inbox, record, since }: { readonly inbox: string; readonly record: RecordRef | null; readonly since: number },
): Promise<NewItem[]> => {
  const about = [record?.resource ?? null, record?.id ?? null];
  return queryRows<NewItem>(db, newItemsSql, [env.id, principal.id, inbox, idAt('itm', since), ...about]);
};
