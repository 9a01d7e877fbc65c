/** Approving a run: it is queued or runs, by a job; whoever approves never waits for the app. */
import { fault } from '../../catalogue/errors.ts';
import { queuedRun } from '../../actions/accept.ts';
import { passAgain } from '../../actions/check.ts';
import { readRun, type Run } from '../../actions/model.ts';
import { anew, canRunAgain } from '../../actions/retry.ts';
import { move, type JobDue } from '../../actions/write.ts';
import { noEffects, stale, type Prepare } from './effect.ts';

export const approveAction: Prepare<'action'> = async ({ deps, approval, requester, decidedBy }) => {
  const run = approval.run === null ? undefined : await readRun(deps.db, approval.env, approval.run);
  const { endedAs } = approval.request;
  const waits = run !== undefined && (endedAs === undefined ? run.status === 'pending' : run.fence === endedAs && canRunAgain(run));
  if (run === undefined || !waits) throw stale('run', 'its run is not what it was any more');
  const { action } = await passAgain(deps, requester, run);
  const online = await deps.link.online(approval.env, { kind: 'action', name: action.name });
  if (!online && action.offline === 'refuse') throw fault('app_offline', `The app is offline, and ${action.label} is not queued; approve it once the app is back.`);
  return async (tx) => {
    const at = deps.clock.now();
    const begun = endedAs === undefined ? run : { ...anew(run, requester, at), approval: approval.id };
    const approved: Run = { ...begun, status: 'running', approved_by: decidedBy, fence: run.fence + 1, timeout_ms: action.timeout, repeatable: action.repeatable, background: action.background };
    const due: JobDue = online ? at : 'app';
    const moved = await move(tx, run, online ? approved : queuedRun(approved, action, at), at, { verb: 'action.begin', outcome: 'ok', told: true, due });
    if (!moved) throw stale('run', 'its run has just been changed');
    return { ...noEffects, run: run.id };
  };
};
