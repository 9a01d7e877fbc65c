/** Moves a run from status to status, wherever it is. Used by all of shared/runs and by shared/decisions. */
import type { Db, Tx } from '../platform/db/knex.ts';
import { bringBackRun } from './endedRuns.ts';
import { isSettledRun, type Run } from './model.ts';
import { moveRun, type RunTransition } from './moveRun.ts';

/**
 * Moves a run from `before`, as it was read, to `after`. Returns false, and writes nothing, when it has moved meanwhile. One that
 * has ended may be in its month: it comes back in the same transaction, so that no sweep takes it there again in between.
 */
export const transitionRun = (
  db: Db | Tx,
  before: Run,
  after: Run,
  at: number,
  step: RunTransition,
): Promise<boolean> =>
  isSettledRun(before)
    ? db.transaction(async (tx) => {
        await bringBackRun(tx, before);
        return moveRun(tx, before, after, at, step);
      })
    : moveRun(db, before, after, at, step);
