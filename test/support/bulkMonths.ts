/** Months of bulks that have passed: parts as they would be if a database had been made months ago, and bulks as old as one likes. */
import { newIdOf } from '../../shared/platform/ids.ts';

interface Sql {
  sql<R extends object>(text: string, values?: unknown[]): Promise<R[]>;
}

const tables = ['bulk_results', 'bulk_chunks'] as const;

/** Returns the names of the parts of a table, sorted. */
export const partsOf = async ({ sql }: Sql, table: (typeof tables)[number]): Promise<string[]> =>
  (
    await sql<{ name: string }>(
      'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
      [table],
    )
  ).map(({ name }) => name);

/** Returns the parts that hold nothing of `since` (epoch ms) or later: those of months that had ended, and of the time before the months. */
export const partsBefore = (parts: readonly string[], since: number): string[] =>
  parts.filter((part) => {
    const [, year, month] = /_(\d{4})_(\d{2})$/.exec(part) ?? [];
    return year === undefined ? part.endsWith('_former') : Date.UTC(Number(year), Number(month), 1) <= since;
  });

/** Makes the parts of each month since `months` ago, when there are no bulks yet. */
export const beginBulkMonthsAgo = async (world: Sql, months: number): Promise<void> => {
  for (const table of tables) {
    for (const part of await partsOf(world, table))
      if (/_\d{4}_\d{2}$/.test(part)) await world.sql(`drop table ${part}`);
    await world.sql(`alter table ${table} detach partition ${table}_former`);
    await world.sql(`
      do $$ begin
        execute format('alter table ${table} attach partition ${table}_former for values from (minvalue) to (%L)',
          id_at('blk', date_trunc('month', now() at time zone 'UTC' - interval '${String(months)} months') at time zone 'UTC'));
      end $$`);
  }
  for (let ago = months; ago >= 0; ago--)
    await world.sql(`select make_bulk_months(now() - interval '${String(ago)} months')`);
};

/** Makes a finished bulk one of a time in the past, and returns its new id. */
export const ageBulk = async ({ sql }: Sql, id: string, at: number): Promise<string> => {
  const old = newIdOf('blk', at);
  await sql('update bulks set id = $2, created_at = $3, started_at = $3, finished_at = $3 where id = $1', [
    id,
    old,
    at,
  ]);
  for (const table of tables) await sql(`update ${table} set bulk = $2 where bulk = $1`, [id, old]);
  return old;
};
