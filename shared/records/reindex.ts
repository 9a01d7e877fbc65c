/**
 * Brings records up to date with their resource's declaration: after a new one, and for records that were stored without
 * the service (a load). Called by the sweep of the same name, some hundred at a time.
 */
import type { Environment } from '../environments/definition.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, executeStatement, statement } from '../platform/db/sql.ts';
import type { FullRecord } from './queries.ts';
import { getIndexing } from './terms.ts';
import { toIndexedRow, newStamp } from './write.ts';

/** As many take some 30 ms. */
const batchRows = 500;

interface StaleRecord extends FullRecord {
  readonly stamp: number;
}

const staleRecordsSql = statement(
  'records.stale',
  `
  select resource, id, title, subtitle, fields, updated_at as "updatedAt", stamp from (
    (select * from records where env = $1 and resource = $2 and shape < $3 limit ${String(batchRows)})
    union all
    (select * from records where env = $1 and resource = $2 and shape > $3 limit ${String(batchRows)})
  ) r limit ${String(batchRows)}`,
);

/** Only records that nobody has written meanwhile. */
const reindexSql = statement(
  'records.renew',
  `
  with given as (
    select * from json_to_recordset($3::json) as g(id text, stamp bigint, title_key text, terms text, keys json)),
  held as (select r.id from records r join given g on g.id = r.id where r.env = $1 and r.resource = $2 and r.stamp = g.stamp order by r.id for update of r),
  written as (
    update records r set title_key = g.title_key, terms = array_to_tsvector(string_to_array(g.terms, E'\\x1e')), shape = $4, stamp = $5::bigint
    from given g join held using (id) where r.env = $1 and r.resource = $2 and r.id = g.id returning r.id),
  unkeyed as (
    delete from record_keys k using written w where k.env = $1 and k.resource = $2 and k.id = w.id and k.stamp <> $5::bigint)
  insert into record_keys (env, resource, field, missing, num, text, id, stamp)
  select $1, $2, k.field, k.missing, k.num, k.text, g.id, $5::bigint
  from given g join written using (id), json_to_recordset(g.keys) as k(field text, missing boolean, num float8, text text)`,
);

/** Renews the records of all stored resources of an environment that were indexed otherwise; answers how many. */
export const reindexRecords = async (db: Db, { id: env, definition }: Environment): Promise<number> => {
  let renewed = 0;
  for (const resource of definition.resources.values()) {
    if (resource.source !== 'stored') continue;
    const indexing = getIndexing(definition, resource);
    for (;;) {
      const found = await queryRows<StaleRecord>(db, staleRecordsSql, [env, resource.name, indexing.shape]);
      if (found.length === 0) break;
      const given = found.map((record) => ({
        ...toIndexedRow(env, resource.name, indexing, record),
        stamp: record.stamp,
      }));
      await executeStatement(db, reindexSql, [env, resource.name, JSON.stringify(given), indexing.shape, newStamp()]);
      renewed += found.length;
    }
  }
  return renewed;
};
