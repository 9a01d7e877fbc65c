/**
 * Writes a new run also when PostgreSQL goes away before it says that it has: a call whose run is there never fails for
 * an outage of ours. Used by accept.ts.
 */
import { isDbUnavailable } from '../platform/db/errors.ts';
import type { ActionDeps } from './deps.ts';
import { confirmWritten } from './dispatchRun.ts';
import type { Run } from './model.ts';
import { insertRun, type InsertRunOptions } from './runStatements.ts';

/** So long a call waits to hear whether its run is there: PostgreSQL restarts within a second or two, or for long. */
const confirmTimeoutMs = 3_000;

const confirmTimeout = (): Promise<'unsure'> =>
  new Promise((resolve) => void setTimeout(resolve, confirmTimeoutMs, 'unsure'));

/** As `beginRun`. Throws when that is not known in time; `late` is called if it turns out to be there after all. */
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
