/** What the statements of runs are put together of: the job of a run, and the parts that only some of them write. Used by insertRun.ts and moveRun.ts. */
import { sameColumns, type InsertSource } from '../platform/journal/insertText.ts';
import { stagedJobInsert, type StagedJobColumns } from '../platform/journal/stagedJobs.ts';

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

/** Returns the parts that a statement has, as the end of a list of CTEs and as the end of the statement's name. */
export const partsOf = <Part extends string>(
  all: Readonly<Record<Part, string>>,
  has: Readonly<Record<Part, boolean>>,
): { readonly text: string; readonly numbers: string } => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both have the same keys
  const chosen = (Object.keys(all) as Part[]).flatMap((part, number) => (has[part] ? [{ part, number }] : []));
  return {
    text: chosen.map(({ part }) => `,\n  ${all[part]}`).join(''),
    numbers: chosen.map(({ number }) => number.toString(36)).join(''),
  };
};

/** Returns the due time of a job, and whether it waits for the app. */
export const jobDueColumns = (due: JobDue | null): [number | null, boolean] =>
  typeof due === 'number' ? [due, false] : [null, due === 'app'];
