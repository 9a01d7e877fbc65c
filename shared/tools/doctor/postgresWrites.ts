/** The check of `npm run doctor` that PostgreSQL can write: it may be a standby, read-only by a setting, or full. Run by postgres.ts. */
import type { Db } from '../../platform/db/knex.ts';
import { describeReadOnly, readOnlySql, type ReadOnlyStanding } from '../../platform/db/readOnly.ts';
import { fail, ok, type Finding } from './finding.ts';
import { readRow } from './query.ts';

/**
 * Writes a temporary file of some hundred KB where the database's tables are: rows that do not fit into the smallest memory.
 * PostgreSQL deletes the file with the statement; no table, row or transaction number is used.
 */
const fillFile = async (db: Db): Promise<void> => {
  const tx = await db.transaction();
  try {
    await readRow(tx, "select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)");
    await readRow(tx, 'select count(*) from generate_series(1, 20000)');
  } finally {
    await tx.rollback();
  }
};

const isDiskFull = (error: unknown): error is Error =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === '53100';

export const checkPostgresWrites = async (db: Db): Promise<Finding> => {
  const readOnly = describeReadOnly(await readRow<ReadOnlyStanding>(db, readOnlySql), 'DATABASE_URL');
  if (readOnly !== null) return fail('postgres.writes', readOnly);
  try {
    await fillFile(db);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return fail(
      'postgres.writes',
      `PostgreSQL can’t write, as its disk is full: enlarge it or free space there, but delete nothing in pg_wal (${error.message})`,
    );
  }
  return ok('postgres.writes', 'PostgreSQL writes: it is no standby, not read-only, and has space');
};
