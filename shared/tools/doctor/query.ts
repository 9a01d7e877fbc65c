/** Statements of `npm run doctor`. They have no names: a pool in front of PostgreSQL may not know prepared ones. */
import type { Db } from '../../platform/db/knex.ts';

/** Throws the error as PostgreSQL worded it, without the statement that knex puts before that. */
const throwWithoutStatement = (error: unknown): never => {
  if (!(error instanceof Error)) throw error;
  throw new Error(error.message.slice(error.message.lastIndexOf(' - ') + 1).replace(/^- /, ''), { cause: error });
};

/** Runs a statement and returns its one row. */
export const readRow = async <R>(db: Db, text: string): Promise<R> => {
  const { rows } = await db.raw<{ rows: R[] }>(text).catch(throwWithoutStatement);
  const [row] = rows;
  if (row === undefined) throw new Error('a statement that has one row had none');
  return row;
};
