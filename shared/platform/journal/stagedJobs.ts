/** The insert into `staged_jobs`, from which the enqueuer fills the queues: composed by each statement that a job follows from. */
import { insertText, type InsertSource, type Sql } from './insertText.ts';

const requiredColumns = ['id', 'env', 'name', 'payload', 'subject', 'request_id', 'due_at', 'created_at'] as const;
const otherColumns = ['waits_for_app', 'traceparent'] as const;

/** `due_at` null parks the job until something sets it; `traceparent`: of the request that it follows from, null when that is not traced. */
export type StagedJobColumns = Readonly<
  Record<(typeof requiredColumns)[number], Sql> & Partial<Record<(typeof otherColumns)[number], Sql>>
>;

/** Returns the text of the insert of one job for each row of the source. */
export const stagedJobInsert = (values: StagedJobColumns, source: InsertSource): string =>
  insertText('insert into staged_jobs', [...requiredColumns, ...otherColumns], values, source);
