/** What stands for the stored records that the action of a bulk takes, so that its approval is bound to them. Used by bulkApproval.ts, shared/decisions and shared/views. */
import type { Environment } from '../app/manifest/definition.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';

interface RecordHashes {
  /** Of all that the records show; the time of their change does not count. */
  readonly records: string;
  /** Of the fields in the action's `stale`; null: it declares none. */
  readonly stale: string | null;
}

interface BulkOfRecords {
  readonly bulk: string;
  /** null: those of the bulk, which is in the database. */
  readonly ids: readonly string[] | null;
  readonly operation: object;
  /** Of items; others are left alone. */
  readonly inboxes: readonly string[];
  readonly action: string | null;
  readonly resource: string | null;
}

const hashSql = (from: string): string => `
  select coalesce(md5(string_agg(md5(jsonb_build_array(named.id, r.id, r.title, r.subtitle, r.fields)::text), '' order by named.id)), '') as records,
    coalesce(md5(string_agg(md5(jsonb_build_array(named.id, r.id,
      (select jsonb_agg(r.fields -> f.name order by f.n) from unnest($4::text[]) with ordinality f(name, n)))::text), '' order by named.id)), '') as stale
  from ${from} join records r on r.env = $1 and r.resource = $2 and r.id = named.record`;

const idsSql =
  'coalesce($3::text[], (select array_agg(u.id) from bulk_chunks c cross join unnest(c.ids) u(id) where c.bulk = $5))';

const hashOfItemsSql = statement(
  'bulk.recordsOfItems',
  hashSql(
    `(select i.id, i.record_id as record from items i where i.env = $1 and i.record_resource = $2 and i.id = any(${idsSql}) and i.inbox = any($6::text[])) named`,
  ),
);

const hashOfRefsSql = statement(
  'bulk.recordsOfRefs',
  hashSql(`(select u.id, u.id as record from unnest(${idsSql}) u(id)) named`),
);

/** Returns what stands for the records of a bulk's action as they are now; null: it runs none, or none on stored records. */
export const hashBulkRecords = async (
  db: Db | Tx,
  { id: env, definition }: Environment,
  { bulk, ids, operation, inboxes, action, resource }: BulkOfRecords,
): Promise<RecordHashes | null> => {
  if (resource === null || definition.resources.get(resource)?.source !== 'stored') return null;
  const stale = definition.actions.get(action ?? '')?.stale ?? [];
  const values = [env, resource, ids, stale, bulk];
  const found =
    'records' in operation
      ? await queryRow<RecordHashes>(db, hashOfRefsSql, values)
      : await queryRow<RecordHashes>(db, hashOfItemsSql, [...values, inboxes]);
  return { records: found?.records ?? '', stale: stale.length === 0 ? null : (found?.stale ?? '') };
};
