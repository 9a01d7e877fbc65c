/** Fills empty tables without their indexes, which are made when the rows are there: that takes a fraction of the time. Used by content.ts. */
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
 * Runs `work` without the indexes of those of the tables that are empty, and makes them again. In the transaction of `tx`, which
 * locks such a table; nobody misses its indexes.
 */
export const indexesAfterwards = async <T>(tx: Tx, tables: readonly string[], work: () => Promise<T>): Promise<T> => {
  const empty: string[] = [];
  for (const table of tables) {
    const { rows } = await tx.raw<{ rows: readonly unknown[] }>('select from ?? limit 1', [table]);
    if (rows.length === 0) empty.push(table);
  }
  const indexes = await queryRows<Index>(tx, indexesSql, [empty]);
  for (const { name } of indexes) await tx.raw(`drop index ${name}`);
  const done = await work();
  await tx.raw("set local maintenance_work_mem = '128MB'");
  for (const { definition } of indexes) await tx.raw(definition);
  return done;
};
