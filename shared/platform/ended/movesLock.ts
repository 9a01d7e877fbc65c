/** The lock under which ended rows move, for statements that have to find a row in one table or in the other. */
import type { Tx } from '../db/knex.ts';
import { queryRow, statement } from '../db/sql.ts';

/** Any number that nothing else in this database locks. */
const lockNumber = 4_920_734;

const lockSql = statement('ended.lock', `select pg_advisory_xact_lock(${String(lockNumber)})`);

/** Waits for the lock, which the transaction keeps until its end: the statements after it see what has moved until then. */
export const lockMoves = async (tx: Tx): Promise<void> => {
  await queryRow(tx, lockSql);
};
