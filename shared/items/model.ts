/** Items as typed values, and the statements that read them by the columns of the table of members (shared/app/items/members.ts). */
import type { RecordRef } from '../app/items/columns.ts';
import { columnsOf, itemMembers, memberNames, otherItemColumns, type Item } from '../app/items/members.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRows, queryTextRows, statement, type TextRow } from '../platform/db/sql.ts';
import { isId } from '../platform/ids.ts';

export type { Item, RecordRef };

const isListed = (name: keyof Item): boolean => itemMembers[name].shown !== null;
/** Members in the order in which rows have their columns: what lists show first. */
const readOrder = [...memberNames.filter(isListed), ...memberNames.filter((name) => !isListed(name))];

const readColumnsOf = (name: keyof Item): string[] =>
  columnsOf(name).flatMap(({ name: column, read }) => (read === null ? [] : [read(`i.${column}`)]));

/** The end and the holder of an item's claim, and who it is given to: as their indexes have them (migrations/0083). */
export const claimEnd = (row: string): string => `(${row}.claim->>'until')::bigint`;
export const claimHolder = (row: string): string => `(${row}.claim->'by'->>'id')`;
export const itemOwners = (row: string): string =>
  `(coalesce(${row}.assignee, '') || ' ' || coalesce(${row}.delegate, ''))`;

/** The columns of a listed item, all that responses show; the table's alias is `i`. */
export const itemColumns = readOrder.filter(isListed).flatMap(readColumnsOf).join(', ');

/** Every column of `items`, for what filters, sorts and shows rows of the alias `i`: a new column does not come by itself. */
export const scannedColumns = [
  ...otherItemColumns,
  ...memberNames.flatMap((name) => columnsOf(name).map((one) => one.name)),
]
  .map((name) => `i.${name}`)
  .join(', ');

/** The columns of a listed item and those that only operations and the detail page need. */
export const wholeItemColumns = readOrder.flatMap(readColumnsOf).join(', ');

/** Returns the place of a member's first column in a row of `itemColumns`. */
export const placeOf = (name: keyof Item): number =>
  readOrder.slice(0, readOrder.indexOf(name)).flatMap(readColumnsOf).length;

const parsers = readOrder.map((name) => ({ name, at: placeOf(name), parse: itemMembers[name].stored.parse }));

/** Returns the item of a row that begins with `wholeItemColumns`. */
export const parseItemRow = (row: TextRow): Item => {
  const item: Record<string, unknown> = {};
  for (const { name, at, parse } of parsers) item[name] = parse(row, at);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member has been parsed by its own row of the table
  return item as unknown as Item;
};

/** Returns the text of a statement that reads the item $2 of the environment $1, and further columns behind it. */
export const itemSql = (...more: readonly string[]): string =>
  `select ${[wholeItemColumns, ...more].join(', ')} from items i where i.env = $1 and i.id = $2`;
const itemByIdSql = statement('items.one', itemSql());
const itemsByIdsSql = statement(
  'items.many',
  `select ${wholeItemColumns} from items i where i.env = $1 and i.id = any($2)`,
);
const lockedItemsSql = statement(
  'items.locked',
  `select ${wholeItemColumns} from items i where i.env = $1 and i.id = any($2) order by i.id for update`,
);
const itemByKeySql = statement(
  'items.byKey',
  `select ${wholeItemColumns} from items i where i.env = $1 and i.inbox = $2 and i.key = $3`,
);
const itemsByKeysSql = statement(
  'items.byKeys',
  `
  select ${wholeItemColumns} from unnest($2::text[], $3::text[]) as wanted(inbox, key) join items i on i.env = $1 and i.inbox = wanted.inbox and i.key = wanted.key`,
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
  return new Map(found.map((columns) => [columns[0] ?? '', parseItemRow(columns)]));
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
