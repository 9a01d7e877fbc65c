/** What the statements of runs are put together of: the job of a run. Used by insertRun.ts and moveRun.ts. */
import { type StagedJobColumns, type InsertSource, stagedJobInsert, sameColumns } from '../platform/journal/inserts.ts';

/** When the job of a run is due: at a time, or once the app is back. */
export type JobDue = number | 'app';

/** The job of a run. */
export const runJobInsert = (
  columns: Pick<StagedJobColumns, 'id' | 'due_at' | 'waits_for_app' | 'created_at' | 'traceparent'>,
  source: InsertSource,
): string =>
  stagedJobInsert(
    {
      ...sameColumns(['env', 'request_id']),
      name: "'actionRun'",
      payload: "jsonb_build_object('run', id)",
      subject: 'id',
      ...columns,
    },
    source,
  );

/** Returns the due time of a job, and whether it waits for the app. */
export const jobDueColumns = (due: JobDue | null): [number | null, boolean] =>
  typeof due === 'number' ? [due, false] : [null, due === 'app'];
