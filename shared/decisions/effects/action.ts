/** The effect of approving a run: a job runs it, or it is queued while the app is offline; the response doesn't wait for the app. */
import { toQueuedRun } from '../../actions/acceptAction.ts';
import { reauthorizeAction } from '../../actions/authorizeAction.ts';
import { readRun, type Run } from '../../actions/model.ts';
import { isRetryable, resetForRetry } from '../../actions/retryRun.ts';
import type { JobDue } from '../../actions/runStatementParts.ts';
import { transitionRun } from '../../actions/transitionRun.ts';
import { fault } from '../../catalogue/errors.ts';
import { emptyEffects, staleFault, type PrepareEffect } from './effect.ts';

/** Authorizes the run again, with the input that was shown. Throws `stale` when the run has changed, `app_offline` when the action isn't queued. */
export const prepareRunApproval: PrepareEffect<'action'> = async ({ deps, approval, requester, decidedBy }) => {
  const run = approval.run === null ? undefined : await readRun(deps.db, approval.env, approval.run);
  const { endedAs } = approval.request;
  const input = { ...approval.request.input };
  const waits =
    run !== undefined && (endedAs === undefined ? run.status === 'pending' : run.fence === endedAs && isRetryable(run));
  if (run === undefined || !waits) throw staleFault('run', 'its run has changed since the request');
  const { action } = await reauthorizeAction(deps, requester, { ...run, input, approved_by: decidedBy });
  const online = await deps.link.online(approval.env, action.declaration);
  if (!online && action.offline === 'refuse')
    throw fault(
      'app_offline',
      `The app is offline, and ${action.label} is not queued; approve it once the app is back.`,
    );
  return async (tx) => {
    const at = deps.clock.now();
    const begun = endedAs === undefined ? run : { ...resetForRetry(run, requester, at), approval: approval.id };
    const approved: Run = {
      ...begun,
      input,
      status: 'running',
      approved_by: { ...decidedBy, at },
      fence: run.fence + 1,
      timeout_ms: action.timeout,
      repeatable: action.retrySafe,
      background: action.background,
    };
    const due: JobDue = online ? at : 'app';
    const moved = await transitionRun(tx, run, online ? approved : toQueuedRun(approved, action, at), at, {
      verb: 'action.begin',
      outcome: 'ok',
      emit: true,
      due,
    });
    if (!moved) throw staleFault('run', 'its run has just been changed');
    return { ...emptyEffects, run: run.id };
  };
};
