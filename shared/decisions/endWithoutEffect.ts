/** Ends approvals without their effect, with the run or the bulk that waits for them. For decide.ts and the sweeps. */
import { endApproval, type ApprovalEnding } from '../approvals/endApproval.ts';
import type { Approval } from '../approvals/model.ts';
import { cancelUnapprovedBulk } from '../bulk/cancelBulk.ts';
import { retryOnConflict } from '../platform/db/retryOnConflict.ts';
import { insertSavedResponse } from '../platform/journal/changeWriter.ts';
import type { EventActor } from '../platform/journal/events.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import { settleRun } from '../runs/call/settleRun.ts';
import { readRun } from '../runs/model.ts';
import type { ViewDeps } from '../views/deps.ts';

/** Tries of the transaction: it may deadlock with statements that lease the jobs of a bulk, and is then rolled back and retried. */
const attemptsMax = 5;

/** How a run or a bulk ends that waits for an approval which was not given. */
interface TargetEnding {
  readonly status: 'rejected' | 'expired' | 'cancelled' | 'failed';
  readonly message: string;
}

/** Ends the run or the bulk that waits for an approval which was not given, in the transaction that ends the approval. */
const endWaitingTarget = async (
  deps: ViewDeps,
  approval: Approval,
  by: EventActor | null,
  { status, message }: TargetEnding,
): Promise<void> => {
  if (approval.run !== null) {
    const run = await readRun(deps.db, approval.env, approval.run);
    if (run?.status === 'pending')
      await settleRun(
        deps,
        run,
        { status, error: message, ...(status === 'failed' ? { code: 'stale' as const } : {}) },
        by === null ? {} : { by },
      );
  }
  if (approval.bulk !== null) await cancelUnapprovedBulk(deps, approval.env, approval.bulk);
};

/** Ends a pending approval without its effect, with what waits for it: both or neither. Returns null, and writes nothing, when it is not pending. */
export const endWithoutEffect = async (
  deps: ViewDeps,
  approval: Approval,
  ending: ApprovalEnding,
  target: TargetEnding,
  save: (ended: Approval) => SavedResponse | null = () => null,
): Promise<Approval | null> => {
  const { ended } = await retryOnConflict(
    () =>
      deps.db.transaction(async (tx) => {
        const at = deps.clock.now();
        const made = await endApproval(tx, approval, ending, at);
        if (made === null) return { ended: null };
        const saved = save(made);
        if (saved !== null) await insertSavedResponse(tx, saved, at);
        await endWaitingTarget({ ...deps, db: tx }, approval, ending.by, target);
        return { ended: made };
      }),
    { limit: attemptsMax },
  );
  if (ended !== null) deps.bus.publish(channels.workAvailable, outboxOf(approval.env));
  return ended;
};

/** Ends an approval whose time is up: called by the sweep, and by a decision that comes too late. */
export const expireApproval = async (deps: ViewDeps, approval: Approval): Promise<void> => {
  const target = { status: 'expired', message: 'Nobody approved it in time.' } as const;
  const answer = approval.kind === 'question' ? approval.request.fallback : null;
  await endWithoutEffect(deps, approval, { status: 'expired', by: null, note: null, answer }, target);
};

/** Ends a pending approval as stale, with the reason in `message`, when its target can't be changed any more. */
export const invalidateApproval = async (deps: ViewDeps, approval: Approval, message: string): Promise<void> => {
  await endWithoutEffect(deps, approval, { status: 'stale', by: null, note: message }, { status: 'failed', message });
};
