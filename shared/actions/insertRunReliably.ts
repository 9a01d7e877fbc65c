/**
 * Inserts a run also when PostgreSQL becomes unavailable before it confirms the commit: a call whose run is known to exist
 * never fails for an outage of the service, and one whose run may exist says so. Used by acceptAction.ts.
 */
import { fault, type Fault } from '../catalogue/errors.ts';
import { isDbUnavailable } from '../platform/db/errors.ts';
import type { ActionDeps } from './deps.ts';
import { confirmWritten } from './dispatchRun.ts';
import { insertRun, type InsertRunOptions } from './insertRun.ts';
import type { Run } from './model.ts';

/** ms that a call waits to learn whether its run was inserted: a restart of PostgreSQL takes a second or two. */
const confirmTimeoutMs = 3_000;

const confirmTimeout = (): Promise<false> =>
  new Promise((resolve) => void setTimeout(resolve, confirmTimeoutMs, false));

/** Returns the fault of a call whose run may exist: who repeats the call without looking may ask for the same thing twice. */
const unsureFault = ({ id }: Run): Fault =>
  fault(
    'unavailable',
    `The service is not available right now, and this may have been accepted: look for the run ${id} (GET /runs/${id}) before you ask for it again.`,
    { body: { run: id } },
  );

/**
 * Inserts as `insertRun` does. Throws `unavailable` with the run's id when the run is not found in time; calls `late` if
 * the run turns out to exist later.
 */
export const insertRunReliably = async (
  deps: ActionDeps,
  run: Run,
  beginning: InsertRunOptions,
  late: () => void = () => undefined,
): Promise<boolean> => {
  try {
    return await insertRun(deps.db, run, beginning);
  } catch (error) {
    if (!isDbUnavailable(error)) throw error;
    const writing = confirmWritten(deps, run);
    if (await Promise.race([writing, confirmTimeout()])) return true;
    // A statement whose connection broke may still insert the run.
    void writing.then((found) => {
      if (found) late();
    });
    deps.log.warn({ err: error, run: run.id, requestId: run.request_id }, 'whether a run was inserted is not known');
    throw unsureFault(run);
  }
};
