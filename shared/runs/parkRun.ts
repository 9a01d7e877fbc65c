/** Parks runs whose app has gone offline since they were accepted. Used by the job of runs and by calls that wait for their run. */
import { channels, outboxOf } from '../platform/redis/bus.ts';
import { toQueuedRun } from './accept/acceptAction.ts';
import { settleRun } from './call/settleRun.ts';
import { offlineResolution } from './call/undispatchedRun.ts';
import type { ActionDeps, Run } from './model.ts';
import { transitionRun } from './moveRun.ts';
import { notifyRunChanged } from './runSignals.ts';

/**
 * Queues a run that is not dispatched until its app is back, or ends it when its action is not queued. Returns `conflict`, and
 * has done nothing, when the run has changed since it was read.
 */
export const parkRun = async (deps: ActionDeps, run: Run): Promise<'queued' | 'ended' | 'conflict'> => {
  const action = deps.directory.environmentById(run.env)?.definition.actions.get(run.action);
  if (action?.offline === 'refuse') {
    await settleRun(deps, run, offlineResolution(run));
    return 'ended';
  }
  if (run.status !== 'queued' && action !== undefined) {
    const at = deps.clock.now();
    const queued: Run = { ...toQueuedRun(run, action, at), fence: run.fence + 1 };
    if (!(await transitionRun(deps.db, run, queued, at, { verb: null, outcome: 'ok', emit: true }))) return 'conflict';
    deps.bus.publish(channels.workAvailable, outboxOf(run.env));
    if (run.waiting_until !== null) notifyRunChanged(deps.bus, run.id);
  }
  return 'queued';
};
