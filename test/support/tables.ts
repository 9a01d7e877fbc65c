/** Looks for a text in every table that there is. */

interface Sql {
  sql<R extends object>(text: string, values?: unknown[]): Promise<R[]>;
}

/** Returns the names of the tables in which a row holds the text, in letters of either case. */
export const tablesWith = async (service: Sql, text: string): Promise<string[]> => {
  const tables = await service.sql<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema()',
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.sql(`select 1 from "${name}" t where t::text ilike $1 limit 1`, [`%${text}%`]);
    if (rows.length > 0) found.push(name);
  }
  return found.sort();
};
