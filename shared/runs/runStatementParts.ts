/** What the statements of runs are put together of: the job of a run, and the results of items of a bulk that wait for it. Used by insertRun.ts, moveRun.ts and shared/bulk. */
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import {
  type StagedJobColumns,
  type InsertSource,
  stagedJobInsert,
  sameColumns,
  bulkResultInsert,
} from '../platform/journal/inserts.ts';

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

/** `run` and `item` are the aliases in `from` of a row of `runs` and of an item with its `seq`. Runs that go on give nothing. */
export const runResultInsert = ({ run, item, from }: { run: string; item: string; from: string }): string =>
  bulkResultInsert(
    {
      bulk: `${run}.bulk`,
      seq: `${item}.seq`,
      item: `${item}.item`,
      outcome: `case when ${run}.status = 'succeeded' then 'changed' when ${run}.status = 'cancelled' then 'cancelled' else 'failed' end`,
      error: `${run}.error`,
      code: `nullif(${run}.status, 'succeeded')`,
    },
    { from, where: `${run}.status not in (${sqlList(openRunStatuses)})`, skipExisting: true },
  );
