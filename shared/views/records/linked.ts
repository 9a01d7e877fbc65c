/** Reads the items of a record that the role sees, by their record or by one of their links, newest activity first. For page.ts. */
import type { Caller } from '../../access/principal.ts';
import { visibleInboxes } from '../../items/filters.ts';
import { itemColumns, type RecordRef } from '../../items/model.ts';
import { itemRowJson } from '../../items/present.ts';
import type { Db } from '../../platform/db/knex.ts';
import { queryRows, queryTextRows, statement } from '../../platform/db/sql.ts';

/** `links <> '[]'` repeats the condition of the partial index. */
const linkedItemsFrom = `
  select id, last_seen from (
    (select i.id, i.last_seen from items i
      where i.env = $1 and i.record_resource = $2 and i.record_id = $3 and i.inbox = any ($4) order by i.last_seen desc, i.id desc limit $6)
    union
    (select i.id, i.last_seen from items i
      where i.links @> $5::jsonb and i.links <> '[]' and (i.env = $1) is true and (i.inbox = any ($4)) is true order by i.last_seen desc, i.id desc limit $6)
  ) x order by last_seen desc, id desc limit $6`;
const linkedIdsSql = statement('records.linkedIds', `select id from (${linkedItemsFrom}) i`);
const linkedItemsSql = statement(
  'records.linkedItems',
  `
  select ${itemColumns} from (${linkedItemsFrom}) x join items i on i.env = $1 and i.id = x.id order by i.last_seen desc, i.id desc`,
);

const valuesOf = (caller: Caller, { resource, id }: RecordRef, limit: number): Parameters<typeof queryRows>[2] => [
  caller.env.id,
  resource,
  id,
  visibleInboxes(caller).map(({ name }) => name),
  JSON.stringify([{ resource, id }]),
  limit,
];

/** Returns the ids of the newest linked items. */
export const readLinkedItemIds = async (db: Db, caller: Caller, ref: RecordRef, limit: number): Promise<string[]> =>
  (await queryRows<{ id: string }>(db, linkedIdsSql, valuesOf(caller, ref, limit))).map(({ id }) => id);

/** Returns the newest linked items as JSON texts. */
export const readLinkedItemsJson = async (db: Db, caller: Caller, ref: RecordRef, limit: number): Promise<string[]> =>
  (await queryTextRows(db, linkedItemsSql, valuesOf(caller, ref, limit))).map((row) =>
    itemRowJson(row, caller.principal.access),
  );
