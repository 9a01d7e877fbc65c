/** Comments on approvals that wait: what deciders and requesters ask each other. For api/routes/approvals.ts. */
import { toActorRef, type Caller } from '../accounts/access/principal.ts';
import { changePending } from '../approvals/changePending.ts';
import { readApproval, type ApprovalComment } from '../approvals/model.ts';
import { readVisibleApproval } from '../approvals/queries.ts';
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { newId } from '../platform/ids.ts';
import { insertSavedResponse } from '../platform/journal/changeWriter.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import type { ViewDeps } from '../views/deps.ts';
import { alreadyDecidedFault, requirePending } from './decide.ts';

interface CommentGiven {
  readonly text: string;
  readonly save: (body: string) => SavedResponse | null;
}

/**
 * Adds a comment to an approval that waits and returns the body of the `201`. It changes nothing of what is asked for, so that a
 * supervised agent needs nobody for it. Throws `already_decided` for an approval that is not pending.
 */
export const commentOnApproval = async (
  deps: ViewDeps,
  caller: Caller,
  id: string,
  { text, save }: CommentGiven,
): Promise<string> => {
  const approval = await readVisibleApproval(deps.db, caller, id);
  if (caller.principal.mode === 'readonly') throw fault('forbidden', 'This agent is read-only.');
  await requirePending(deps, caller, approval);
  const at = deps.clock.now();
  const comment: ApprovalComment = { id: newId('cmt'), at, by: toActorRef(caller.principal), text };
  const body = JSON.stringify({ comment });
  await deps.db.transaction(async (tx) => {
    const locked = await readApproval(tx, caller.env.id, id, true);
    if (locked?.status !== 'pending') throw alreadyDecidedFault(caller, locked ?? approval);
    const known = locked.comments ?? [];
    if (known.length >= limits.commentsPerApproval)
      throw fault('conflict', `This request has ${String(limits.commentsPerApproval)} comments; decide it.`);
    const next = { ...locked, comments: [...known, comment] };
    await changePending(tx, caller, next, { verb: 'approval.comment', after: { comment: comment.id }, at });
    const saved = save(body);
    if (saved !== null) await insertSavedResponse(tx, saved, at);
  });
  deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
  return body;
};
