/**
 * Writes a new run also when PostgreSQL goes away before it says that it has: a call whose run is there never fails for
 * an outage of ours. Used by accept.ts.
 */
import { isAway } from '../platform/db/errors.ts';
import type { ActionDeps } from './deps.ts';
import { wasWritten } from './handOver.ts';
import type { Run } from './model.ts';
import { beginRun, type Beginning } from './write.ts';

/** So long a call waits to hear whether its run is there: PostgreSQL restarts within a second or two, or for long. */
const unsureMs = 3_000;

const unsure = (): Promise<'unsure'> => new Promise((resolve) => void setTimeout(resolve, unsureMs, 'unsure'));

/** As `beginRun`. Throws when that is not known in time; `late` is called if it turns out to be there after all. */
export const beginSurely = async (deps: ActionDeps, run: Run, beginning: Beginning, late: () => void = () => undefined): Promise<boolean> => {
  try {
    return await beginRun(deps.db, run, beginning);
  } catch (error) {
    if (!isAway(error)) throw error;
    const writing = wasWritten(deps, run);
    const written = await Promise.race([writing, unsure()]);
    if (written === true) return true;
    if (written === 'unsure') void writing.then((found) => { if (found) late(); });
    throw error;
  }
};
