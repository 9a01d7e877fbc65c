/** Drops the indexes of empty tables and makes them again when the rows are there, which takes a fraction of the time. Used by content.ts. */
import type { Tx } from '../../platform/db/knex.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';

interface Index {
  readonly name: string;
  readonly definition: string;
}

/** Indexes of the tables and of their parts but those that keep rows unique. */
const indexesSql = statement(
  'demo.indexes',
  `
  select i.indexrelid::regclass::text as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as definition
  from pg_index i where i.indrelid = any ($1::regclass[]) and not i.indisunique`,
);

/**
 * Drops the indexes of those of the tables that are empty. In the transaction of `tx`, which locks such a table; nobody misses its
 * indexes. Returns what makes them again.
 */
export const dropIndexes = async (tx: Tx, tables: readonly string[]): Promise<() => Promise<void>> => {
  const empty: string[] = [];
  for (const table of tables) {
    const { rows } = await tx.raw<{ rows: readonly unknown[] }>('select from ?? limit 1', [table]);
    if (rows.length === 0) empty.push(table);
  }
  const indexes = await queryRows<Index>(tx, indexesSql, [empty]);
  for (const { name } of indexes) await tx.raw(`drop index ${name}`);
  return async () => {
    await tx.raw("set local maintenance_work_mem = '128MB'");
    for (const { definition } of indexes) await tx.raw(definition);
  };
};
