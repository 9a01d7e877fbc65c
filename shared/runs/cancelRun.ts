/** Cancels a run that is not dispatched yet, and withdraws its approval. Used by `POST /runs/:id/cancel`. */
import { type Caller, principalModeFault, toEventActor } from '../accounts/access/principal.ts';
import { withdrawApproval } from '../approvals/endApproval.ts';
import { fault } from '../catalogue/errors.ts';
import { cancellableRunStatuses } from '../catalogue/states/runs.ts';
import { contendedFault, retryOnConflict } from '../platform/db/retryOnConflict.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import { settleRun } from './call/settleRun.ts';
import { resolutionWithoutDispatch } from './call/undispatchedRun.ts';
import type { ActionDeps, Run } from './model.ts';
import { presentRunWithoutBlocks } from './present.ts';
import { readVisibleRun } from './queries.ts';

/** Tries while others change the run, before `409 conflict`. */
const attemptsMax = 5;

/** Throws unless the caller may cancel. The requester always may; others see the run only if they may run its action, and what waits for a decision is not theirs to end. */
const requireMayCancel = ({ principal }: Caller, run: Run): void => {
  if (principal.id === run.actor && principal.type === run.actor_type) return;
  if (run.status === 'pending')
    throw fault(
      'forbidden',
      'Only the requester may cancel a run that waits for approval; a person who may decide can reject it.',
    );
  const problem = principalModeFault(principal);
  if (problem !== null) throw problem;
};

interface CancelRunRequest {
  readonly caller: Caller;
  readonly id: string;
  readonly save: (body: string) => SavedResponse | null;
}

const cancelResponseBody = (caller: Caller, run: Run): string =>
  JSON.stringify({ run: presentRunWithoutBlocks(caller, run) });

/** One round: null when the run moved on since it was read. */
const tryCancel = async (deps: ActionDeps, { caller, id, save }: CancelRunRequest): Promise<Run | null> => {
  const run = await readVisibleRun(deps.db, caller, id);
  requireMayCancel(caller, run);
  if (run.handed_at !== null || !cancellableRunStatuses.includes(run.status))
    throw fault('conflict', `This run is ${run.status} and can’t be cancelled any more.`);
  const cancelled = { status: 'cancelled', error: `Cancelled by ${caller.principal.name}.` } as const;
  const verdict = resolutionWithoutDispatch(run, cancelled);
  const more = {
    by: toEventActor(caller),
    reason: caller.reason ?? null,
    save: (after: Run) => save(cancelResponseBody(caller, after)),
  };
  const { approval } = run;
  if (run.status !== 'pending' || approval === null) return settleRun(deps, run, verdict, more);
  return deps.db.transaction(async (tx) => {
    // Who decides at the same moment ends the run.
    if (!(await withdrawApproval(tx, caller, approval, deps.clock.now()))) return null;
    const settled = await settleRun({ ...deps, db: tx }, run, verdict, more);
    if (settled === null) throw contendedFault('run');
    return settled;
  });
};

/** Cancels the run and returns the body of the `200`. Throws `conflict` for a run that has begun or ended. */
export const cancelRun = async (
  deps: ActionDeps,
  caller: Caller,
  id: string,
  save: (body: string) => SavedResponse | null,
): Promise<string> => {
  const settled = await retryOnConflict(() => tryCancel(deps, { caller, id, save }), {
    limit: attemptsMax,
    // What follows a settled run is written after it: an error there is not to cancel it again.
    isConflict: () => false,
    exhausted: () => contendedFault('run'),
  });
  deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
  return cancelResponseBody(caller, settled);
};
