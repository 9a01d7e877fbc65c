/** Items: the columns of their rows, the typed form that operations decide on, and the statements that read it. */
import type { ActorRef } from '../catalogue/events.ts';
import { isId } from '../platform/core/ids.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRows, queryTextRows, statement, type TextRow } from '../platform/db/sql.ts';

export interface RecordRef {
  readonly resource: string;
  readonly id: string;
}

export interface ItemRecord extends RecordRef {
  readonly title: string | null;
}

export interface TriageAnswer {
  readonly question: string;
  readonly answer: unknown;
  readonly by: ActorRef;
  readonly at: number;
}

export interface ItemTriage {
  readonly answers: readonly TriageAnswer[];
  readonly closed: boolean;
}

/** The last `occurred` entry of an item whose inbox keeps a number of occurrences: when it was written, and the count that it ended at. */
interface OccurredEntry {
  readonly at: number;
  readonly to: number;
  /** The entry, which further occurrences update. Absent: it was written by a release that did not update entries. */
  readonly entry?: { readonly id: string; readonly from: number; readonly actor: ActorRef };
}

export interface Item {
  readonly id: string;
  readonly inbox: string;
  readonly title: string;
  readonly state: string;
  /** Whether the state is of kind `closed`. */
  readonly closed: boolean;
  readonly record: ItemRecord | null;
  readonly links: readonly RecordRef[];
  readonly tags: readonly string[];
  readonly assignee: string | null;
  readonly occurrences: number;
  readonly users: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly dueAt: number | null;
  /** JSON text, as it is stored and as responses contain it. */
  readonly fields: string;
  readonly snoozedUntil: number | null;
  readonly triaged: boolean;
  readonly triage: ItemTriage | null;
  readonly key: string | null;
  readonly occurredEntry: OccurredEntry | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly version: number;
}

/** The columns of a listed item, in the order in which `present.ts` reads them; the table's alias is `i`. */
export const itemColumns = `i.id, i.inbox, i.title, i.state, i.record_resource, i.record_id, i.record_title,
  array_to_json(i.tags)::text, i.assignee, i.occurrences, i.users, i.first_seen, i.last_seen, i.due_at,
  i.fields::text, i.snoozed_until, i.triaged, i.created_at, i.updated_at, i.version`;

/** The columns of a listed item and those that only operations and the detail page need. */
const fullItemColumns = `${itemColumns}, i.closed, i.links::text, i.triage::text, i.key, i.occurred_entry::text`;

const text = (row: TextRow, i: number): string => row[i] ?? '';
const integer = (row: TextRow, i: number): number => Number(row[i]);
const optional = (row: TextRow, i: number): number | null => {
  const value = row[i] ?? null;
  return value === null ? null : Number(value);
};
const json = <T>(row: TextRow, i: number): T | null => {
  const value = row[i] ?? null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only perform/write.ts and the demo write these columns, from typed items
  return value === null ? null : (JSON.parse(value) as T);
};

/** Returns the item of a row of `fullItemColumns`. */
const parseItemRow = (row: TextRow): Item => {
  const resource = row[4] ?? null;
  return {
    id: text(row, 0),
    inbox: text(row, 1),
    title: text(row, 2),
    state: text(row, 3),
    record: resource === null ? null : { resource, id: text(row, 5), title: row[6] ?? null },
    tags: json<string[]>(row, 7) ?? [],
    assignee: row[8] ?? null,
    occurrences: integer(row, 9),
    users: integer(row, 10),
    firstSeen: integer(row, 11),
    lastSeen: integer(row, 12),
    dueAt: optional(row, 13),
    fields: text(row, 14),
    snoozedUntil: optional(row, 15),
    triaged: row[16] === 't',
    createdAt: integer(row, 17),
    updatedAt: integer(row, 18),
    version: integer(row, 19),
    closed: row[20] === 't',
    links: json<RecordRef[]>(row, 21) ?? [],
    triage: json<ItemTriage>(row, 22),
    key: row[23] ?? null,
    occurredEntry: json<OccurredEntry>(row, 24),
  };
};

const itemByIdSql = statement('items.one', `select ${fullItemColumns} from items i where i.env = $1 and i.id = $2`);
const itemsByIdsSql = statement(
  'items.many',
  `select ${fullItemColumns} from items i where i.env = $1 and i.id = any($2)`,
);
const lockedItemsSql = statement(
  'items.locked',
  `select ${fullItemColumns} from items i where i.env = $1 and i.id = any($2) order by i.id for update`,
);
const itemByKeySql = statement(
  'items.byKey',
  `select ${fullItemColumns} from items i where i.env = $1 and i.inbox = $2 and i.key = $3`,
);
const itemsByKeysSql = statement(
  'items.byKeys',
  `
  select ${fullItemColumns} from unnest($2::text[], $3::text[]) as wanted(inbox, key) join items i on i.env = $1 and i.inbox = wanted.inbox and i.key = wanted.key`,
);
const lockedItemsByKeysSql = statement('items.byKeysLocked', `${itemsByKeysSql.text} order by i.id for update of i`);
const countedUsersSql = statement(
  'items.seenBy',
  `
  select u.item, u.who from unnest($2::text[], $3::text[]) as asked(item, who) join item_users u on u.env = $1 and u.item = asked.item and u.who = asked.who`,
);

/** Returns the items of `ids` that exist, by id; with `lock` their rows stay locked until the transaction ends. */
export const readItems = async (
  db: Db | Tx,
  envId: number,
  ids: readonly string[],
  lock = false,
): Promise<Map<string, Item>> => {
  const wanted = ids.filter((id) => isId(id, 'itm'));
  const [first] = wanted;
  if (first === undefined) return new Map();
  const found = lock
    ? await queryTextRows(db, lockedItemsSql, [envId, wanted])
    : wanted.length === 1
      ? await queryTextRows(db, itemByIdSql, [envId, first])
      : await queryTextRows(db, itemsByIdsSql, [envId, wanted]);
  return new Map(found.map((columns) => [text(columns, 0), parseItemRow(columns)]));
};

interface ItemKey {
  readonly inbox: string;
  readonly key: string;
}

/** Returns the items that have these keys, in no order; with `lock` their rows stay locked until the transaction ends. */
export const readItemsByKeys = async (
  db: Db | Tx,
  envId: number,
  keys: readonly ItemKey[],
  lock = false,
): Promise<Item[]> => {
  const [first] = keys;
  if (first === undefined) return [];
  const found =
    lock || keys.length > 1
      ? await queryTextRows(db, lock ? lockedItemsByKeysSql : itemsByKeysSql, [
          envId,
          keys.map(({ inbox }) => inbox),
          keys.map(({ key }) => key),
        ])
      : await queryTextRows(db, itemByKeySql, [envId, first.inbox, first.key]);
  return found.map(parseItemRow);
};

interface AffectedUser {
  readonly item: string;
  readonly who: string;
}

/** Returns those of `users` that their item has counted already. */
export const readCountedUsers = (db: Db | Tx, envId: number, users: readonly AffectedUser[]): Promise<AffectedUser[]> =>
  users.length === 0
    ? Promise.resolve([])
    : queryRows<AffectedUser>(db, countedUsersSql, [envId, users.map(({ item }) => item), users.map(({ who }) => who)]);
