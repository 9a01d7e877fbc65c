/**
 * Inserts a run also when PostgreSQL becomes unavailable before it confirms the commit: a call whose run exists never
 * fails for an outage of the service. Used by acceptAction.ts.
 */
import { isDbUnavailable } from '../platform/db/errors.ts';
import type { ActionDeps } from './deps.ts';
import { confirmWritten } from './dispatchRun.ts';
import { insertRun, type InsertRunOptions } from './insertRun.ts';
import type { Run } from './model.ts';

/** ms that a call waits to learn whether its run was inserted: a restart of PostgreSQL takes a second or two. */
const confirmTimeoutMs = 3_000;

const confirmTimeout = (): Promise<'unsure'> =>
  new Promise((resolve) => void setTimeout(resolve, confirmTimeoutMs, 'unsure'));

/** Inserts as `insertRun` does. Throws when the outcome is not known in time; calls `late` if the run turns out to exist later. */
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
    const written = await Promise.race([writing, confirmTimeout()]);
    if (written === true) return true;
    if (written === 'unsure')
      void writing.then((found) => {
        if (found) late();
      });
    throw error;
  }
};
