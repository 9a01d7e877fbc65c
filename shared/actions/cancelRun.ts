/** Cancels a run that is not dispatched yet, and withdraws its approval. Used by `POST /runs/:id/cancel`. */
import { cancellableRunStatuses } from '../catalogue/states/runs.ts';
import { fault } from '../catalogue/errors.ts';
import type { Caller } from '../access/principal.ts';
import { withdrawApproval } from '../approvals/endApproval.ts';
import type { ActionDeps } from './deps.ts';
import { principalModeFault } from '../access/gates.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import type { Run } from './model.ts';
import { presentRunWithoutBlocks } from './present.ts';
import { readVisibleRun } from './queries.ts';
import { settleRun, toSettledRun } from './settleRun.ts';

/** Tries while others change the run, before `409 conflict`. */
const attemptsMax = 5;

/** Throws unless the caller may cancel. The requester always may; others see the run only if they may run its action. */
const requireMayCancel = ({ principal }: Caller, run: Run): void => {
  if (principal.id === run.actor && principal.type === run.actor_type) return;
  const problem = principalModeFault(principal);
  if (problem !== null) throw problem;
};

/** Cancels the run and returns the body of the `200`. Throws `conflict` for a run that has begun or ended. */
export const cancelRun = async (
  deps: ActionDeps,
  caller: Caller,
  id: string,
  save: (body: string) => SavedResponse | null,
): Promise<string> => {
  const { principal, requestId, address } = caller;
  for (let tries = 1; tries <= attemptsMax; tries++) {
    const run = await readVisibleRun(deps.db, caller, id);
    requireMayCancel(caller, run);
    if (run.handed_at !== null || !cancellableRunStatuses.includes(run.status))
      throw fault('conflict', `This run is ${run.status} and can’t be cancelled any more.`);
    const verdict = { status: 'cancelled', error: `Cancelled by ${principal.name}.` } as const;
    const at = deps.clock.now();
    const body = JSON.stringify({ run: presentRunWithoutBlocks(caller, toSettledRun(run, verdict, at)) });
    const by = {
      type: principal.type,
      id: principal.id,
      name: principal.name,
      role: principal.role?.name ?? null,
      requestId,
      address,
    };
    const settled = await settleRun(deps, run, verdict, { by, saved: save(body) });
    if (settled === null) continue;
    if (run.approval !== null) await withdrawApproval(deps, caller, run.approval);
    return JSON.stringify({ run: presentRunWithoutBlocks(caller, settled) });
  }
  throw fault('conflict', 'This run is being changed by many at once; try again.');
};
