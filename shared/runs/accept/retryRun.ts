/** Retries a run that failed, expired or has an unknown end, under the same id. Used by `POST /runs/:id/retry` and approvals. */
import type { Caller } from '../../accounts/access/principal.ts';
import { fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { retryableRunStatuses } from '../../catalogue/states/runs.ts';
import type { SavedResponse } from '../../platform/journal/idempotency.ts';
import { channels, outboxOf } from '../../platform/redis/bus.ts';
import { authorizeAction, requireRunnableAction, resourceFault } from '../authorizeAction.ts';
import { isAnswerMissing, missingAnswerCode } from '../call/undispatchedRun.ts';
import { type ActionDeps, type Run, isErasedRun } from '../model.ts';
import { transitionRun } from '../moveRun.ts';
import { type AcceptedRun, type AwaitedRun, acceptedRunBody } from '../present.ts';
import { readVisibleRun } from '../queries.ts';
import type { JobDue } from '../runStatementParts.ts';
import { requireQueueRoom, requiresApproval, toQueuedRun, withIdempotencyKey } from './acceptAction.ts';
import { requestRunApproval } from './runApproval.ts';

interface RetryOptions {
  readonly confirmed: boolean;
  readonly freshUntil: number | null;
  readonly save: (status: number, body: string) => SavedResponse | null;
}

/** Returns whether the run ended in a way that allows a retry. */
export const isRetryable = (run: Run): boolean => retryableRunStatuses.includes(run.status) && !isErasedRun(run);

/**
 * Returns the run as it was before its first dispatch, with its id, its entry and its counters. Its approval was that of another
 * request. Until it is dispatched again, the instance that had it may still say that it was done, and nobody else knows.
 */
export const resetForRetry = (run: Run, { principal, requestId, address, reason }: Caller, at: number): Run => ({
  ...run,
  status: 'running',
  lane: null,
  attempt: run.attempt + 1,
  failures: 0,
  fence: run.fence + 1,
  progress: null,
  message: null,
  blocks: null,
  error: null,
  code: isAnswerMissing(run) ? missingAnswerCode : null,
  actor_type: principal.type,
  actor: principal.id ?? run.actor,
  actor_name: principal.name,
  role: principal.role?.name ?? null,
  approval: null,
  approved_by: null,
  requested_at: at,
  started_at: null,
  expires_at: null,
  finished_at: null,
  handed_at: null,
  lost_at: null,
  connection: null,
  waiting_until: null,
  once_principal: null,
  once_key: null,
  request_id: requestId,
  address,
  reason: reason ?? run.reason,
});

/**
 * Retries a run with all checks of a new one and returns it. A job dispatches it. Throws what `requireRunnableAction` throws,
 * `conflict` for a run that can't be retried, what `authorizeAction` throws, and `app_offline`.
 */
export const retryRun = async (
  deps: ActionDeps,
  caller: Caller,
  id: string,
  { confirmed, freshUntil, save }: RetryOptions,
): Promise<AcceptedRun | AwaitedRun> => {
  const run = await readVisibleRun(deps.db, caller, id);
  const declared = requireRunnableAction(caller, run.action);
  if (isErasedRun(run))
    throw fault(
      'conflict',
      'What this run was asked with was erased, so it can’t be run again; ask for the action anew.',
    );
  if (!isRetryable(run))
    throw fault(
      'conflict',
      `This run is ${run.status}; only one that failed, expired or has an unknown end can be run again.`,
    );
  const misfit = resourceFault(declared, run);
  if (misfit !== null) throw misfit;
  const ready = await authorizeAction(
    deps,
    { ...caller, reason: caller.reason ?? run.reason },
    { action: run.action, record: run.record ?? undefined, item: run.item ?? undefined, input: run.input, confirmed },
    freshUntil,
  );
  const { action } = ready;
  const at = deps.clock.now();
  const next: Run = {
    ...resetForRetry(run, caller, at),
    input: ready.input,
    timeout_ms: action.timeout,
    repeatable: action.repeatable,
    background: action.background,
  };
  if (requiresApproval(caller, action))
    return requestRunApproval(deps, caller, { run: next, ended: run }, ready, (accepted) =>
      save(202, JSON.stringify(acceptedRunBody(accepted))),
    );
  const online = await deps.link.online(caller.env.id, action.declaration);
  if (!online && action.offline === 'refuse')
    throw fault('app_offline', `The app is offline, and ${action.label} is not queued.`);
  if (!online) await requireQueueRoom(deps, next);
  const accepted: AcceptedRun = { kind: online ? 'running' : 'queued', run: run.id };
  const saved = save(202, JSON.stringify(acceptedRunBody(accepted)));
  const waits = online && !action.background;
  const begun = online
    ? { ...withIdempotencyKey(next, saved), waiting_until: waits ? at + limits.actionWaitMs : null }
    : toQueuedRun(next, action, at);
  const due: JobDue = online ? at : 'app';
  if (
    !(await transitionRun(deps.db, run, begun, at, {
      verb: 'action.retry',
      outcome: 'ok',
      reason: begun.reason,
      emit: true,
      due,
      saved,
    }))
  ) {
    throw fault('conflict', 'This run has just been changed; look at it again.');
  }
  deps.bus.publish(channels.workAvailable, outboxOf(run.env));
  deps.bus.publish(channels.workAvailable, 'jobs');
  return waits ? { kind: 'direct', run: begun, completion: null, remote: null } : accepted;
};
