/** Runs whose bulk was cancelled. Used by the job of runs and by dispatchRun.ts, which may come to one before the job of the cancelled bulk has settled it. */
import type { Db } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';
import type { Run } from './model.ts';

const cancelledBulkSql = statement('runs.bulkCancelled', 'select 1 from bulks where id = $1 and cancelled');

/** Returns whether the bulk that made the run was cancelled. A retry is a request of its own, whatever became of the bulk. */
export const isOfCancelledBulk = async (db: Db, { bulk, attempt }: Pick<Run, 'bulk' | 'attempt'>): Promise<boolean> =>
  bulk !== null && attempt === 1 && (await queryRow(db, cancelledBulkSql, [bulk])) !== undefined;
