/**
 * Takes care of runs that no process works on: expires queued runs, settles runs whose answer is missing because the app or
 * the process with its connection has gone, and releases runs that are first of their record.
 */
import { releaseOverlookedRuns, type QueuePlace } from '../../shared/actions/recordQueue.ts';
import { markRunLost, settleOverdueRun } from '../../shared/actions/runOutcome.ts';
import { settleRun } from '../../shared/actions/settleRun.ts';
import { expiredResolution } from '../../shared/actions/undispatchedRun.ts';
import { readExpiredRuns, readLostRuns, readOverdueRuns } from '../../shared/actions/unfinishedRuns.ts';
import type { Deps } from '../../shared/deps.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import type { Sweep } from './sweep.ts';

/** The place from which the queues of records are looked at next. */
const places = new WeakMap<Deps, QueuePlace>();

/** Looks at the next runs in the queues. */
const releaseOverlooked = async (deps: Deps, now: number): Promise<void> => {
  const { released, place } = await releaseOverlookedRuns(deps.db, now, places.get(deps) ?? null);
  if (place === null) places.delete(deps);
  else places.set(deps, place);
  if (released > 0) deps.bus.publish(channels.workAvailable, 'jobs');
};

export const unfinishedRuns: Sweep = {
  name: 'openRuns',
  everyMs: 1_000,
  run: async (deps) => {
    const { db, clock } = deps;
    const now = clock.now();
    for (const run of await readExpiredRuns(db, now)) await settleRun(deps, run, expiredResolution(run));
    for (const run of await readLostRuns(db, now)) await markRunLost(deps, run);
    for (const run of await readOverdueRuns(db, now)) await settleOverdueRun(deps, run);
    await releaseOverlooked(deps, now);
  },
};
