/** The columns of which the lines of an archive are: a file names its own, so that one which the tables get later changes nothing about it. */
import type { Tx } from '../db/knex.ts';
import type { ArchivedColumns } from './header.ts';
import { ArchiveProblem, takeAnother } from './parts.ts';

/** Names of the tables that have the events and the ranges of the chains. */
export interface ArchiveTables {
  readonly events: string;
  readonly ranges: string;
}

const columnsSql =
  'select attname as name from pg_attribute where attrelid = ?::regclass and attnum > 0 and not attisdropped order by attnum';

const namesOf = async (tx: Tx, table: string): Promise<string[]> =>
  (await tx.raw<{ rows: { name: string }[] }>(columnsSql, [table])).rows.map(({ name }) => name);

/** Returns the columns of tables, in their order. */
export const readColumns = async (tx: Tx, { events, ranges }: ArchiveTables): Promise<ArchivedColumns> => ({
  events: await namesOf(tx, events),
  ranges: await namesOf(tx, ranges),
});

/** Throws ArchiveProblem where the tables lack columns of a file. */
export const requireColumns = async (
  tx: Tx,
  path: string,
  columns: ArchivedColumns,
  tables: ArchiveTables,
): Promise<void> => {
  const here = await readColumns(tx, tables);
  const missing = (['events', 'ranges'] as const).flatMap((of) =>
    columns[of].filter((name) => !here[of].includes(name)),
  );
  if (missing.length > 0)
    throw new ArchiveProblem(
      `${path} has columns that this database has not (${missing.join(', ')}): a newer version has written it, or it is damaged at line 1; then ${takeAnother}.`,
    );
};
