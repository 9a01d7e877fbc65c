/** Reads the history of a record: runs of actions on it and the timelines of its items, as one list. For page.ts. */
import { listCursors } from '../../accounts/access/listCursors.ts';
import { type Caller, findVisibleInbox } from '../../accounts/access/principal.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import { limits } from '../../catalogue/limits.ts';
import type { RecordRef } from '../../items/model.ts';
import { withLatestData, withOccurrences } from '../../items/occurrences/occurrences.ts';
import { redactEntry } from '../../items/timeline.ts';
import type { Db } from '../../platform/db/knex.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import { readVisiblePage } from '../../platform/listing/page.ts';

interface HistoryEntry {
  readonly id: string;
  /** null: the entry belongs to no item, or to one that the role doesn't see. */
  readonly item: string | null;
  readonly type: string;
  readonly at: number;
  readonly actor: ActorRef;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface RecordHistory {
  readonly entries: readonly HistoryEntry[];
  /** The sealed cursor of the next page; null on the last page. */
  readonly cursor: string | null;
}

interface Row {
  readonly event: number;
  readonly id: string;
  readonly item: string | null;
  readonly inbox: string | null;
  readonly type: string;
  readonly at: number;
  readonly actor_type: ActorRef['type'];
  readonly actor: string | null;
  readonly actor_name: string;
  readonly data: Record<string, unknown>;
  /** `<resource>/<id>` of the record that the entry itself is about. */
  readonly about: string | null;
}

/** Selects ids of events first, by a union, as an entry of one of the items may also be about the record. */
const recordHistorySql = statement(
  'records.history',
  `
  select e.id as event, e.entry as id, e.item, e.inbox, e.type, e.at, e.actor_type, e.actor, e.actor_name, e.data, e.about
  from (
    select id from (
      (select e.id from events e where e.env = $1 and e.about = $2 and e.about is not null and not e.is_update and e.entry is not null and e.id < $4 order by e.id desc limit $5)
      union
      (select e.id from unnest($3::text[]) as s(item) cross join lateral (
        select e.id from events e where e.env = $1 and e.item = s.item and e.entry is not null and not e.is_update and e.id < $4 order by e.id desc limit $5) e)
    ) x order by id desc limit $5) x
  join events e on e.id = x.id
  order by e.id desc`,
);

const runsOfRecordSql = statement(
  'records.historyRuns',
  'select id from all_runs where env = $1 and id = any($2::text[]) and resource = $3 and record = $4',
);

/** Returns those of the entries of items that tell of a run of the record, which has an entry of its own: a run of a bulk is told at each of its items. */
const readRepeated = async (
  db: Db,
  env: number,
  { resource, id }: RecordRef,
  rows: readonly Row[],
): Promise<ReadonlySet<Row>> => {
  const runOf = ({ data: { run } }: Row): string | null => (typeof run === 'string' ? run : null);
  const told = rows.filter((row) => row.about === null && row.item !== null && runOf(row) !== null);
  if (told.length === 0) return new Set();
  const found = await queryRows<{ id: string }>(db, runsOfRecordSql, [env, told.map(runOf), resource, id]);
  const runs = new Set<string | null>(found.map((run) => run.id));
  return new Set(told.filter((row) => runs.has(runOf(row))));
};

/** Returns an entry, without its item when the caller doesn't see the item's inbox. */
const toHistoryEntry = (caller: Caller, row: Row): HistoryEntry => ({
  id: row.id,
  item: row.inbox !== null && findVisibleInbox(caller, row.inbox) === undefined ? null : row.item,
  type: row.type,
  at: row.at,
  actor: { type: row.actor_type, id: row.actor, name: row.actor_name },
  data: row.data,
});

/** Returns a page of entries that the role sees, newest first. `items`: ids of the record's items that the role sees. */
export const readRecordHistory = async (
  db: Db,
  caller: Caller,
  { resource, id }: RecordRef,
  items: readonly string[],
  given: string | undefined,
): Promise<RecordHistory> => {
  const { env, principal } = caller;
  const cursors = listCursors(caller, 'records.history', [resource, id]);
  const keys = cursors.open(given);
  const repeated = new Set<Row>();
  const { page, next } = await readVisiblePage(
    {
      from: keys === null ? Number.MAX_SAFE_INTEGER : Number(keys[0]),
      limit: limits.timelinePage,
      read: async (from, wanted) => {
        const values = [env.id, `${resource}/${id}`, items, from, wanted];
        const rows = await withLatestData(db, env.id, await queryRows<Row>(db, recordHistorySql, values));
        for (const row of await readRepeated(db, env.id, { resource, id }, rows)) repeated.add(row);
        return rows;
      },
      positionOf: ({ event }) => event,
    },
    (row) => (repeated.has(row) ? null : redactEntry(principal.access, toHistoryEntry(caller, row))),
  );
  return {
    entries: await withOccurrences(db, env.id, page),
    cursor: cursors.next(next === null ? null : [next]),
  };
};
