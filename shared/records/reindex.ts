/**
 * Writes again the terms and keys of records whose stored shape differs from their resource's declaration, or whose stamp is
 * of an older release: after a new declaration, after an upgrade, and for records that a load wrote without the service. Called by workers/sweeps/index.ts.
 */
import type { Environment } from '../app/manifest/definition.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../platform/db/sql.ts';
import type { FullRecord } from './queries.ts';
import { firstStamp, getIndexing, newStamp } from './terms.ts';
import { toIndexedRow } from './write.ts';

/** Records of one statement, which takes about 30 ms. */
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
    union all
    (select * from records where env = $1 and resource = $2 and shape = $3 and stamp < ${String(firstStamp)} limit ${String(batchRows)})
  ) r limit ${String(batchRows)}`,
);

/** Writes only records whose stamp is still the one that was read. */
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

/** Reindexes the records of an environment whose shape is outdated, and returns how many it found. */
export const reindexRecords = async (db: Db | Tx, { id: envId, definition }: Environment): Promise<number> => {
  let renewed = 0;
  for (const resource of definition.resources.values()) {
    if (resource.source !== 'stored') continue;
    const indexing = getIndexing(definition, resource);
    for (;;) {
      const found = await queryRows<StaleRecord>(db, staleRecordsSql, [envId, resource.name, indexing.shape]);
      if (found.length === 0) break;
      const given = found.map((record) => ({
        ...toIndexedRow(envId, resource.name, indexing, record),
        stamp: record.stamp,
      }));
      await executeStatement(db, reindexSql, [envId, resource.name, JSON.stringify(given), indexing.shape, newStamp()]);
      renewed += found.length;
    }
  }
  return renewed;
};
