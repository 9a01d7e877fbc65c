/** Comments on approvals that wait: what deciders and requesters ask each other. For api/routes/approvals.ts. */
import { toActorRef, type Caller } from '../accounts/access/principal.ts';
import { readBarred } from '../accounts/settings/independence.ts';
import { approvalLiveParts, readApproval, type Approval, type ApprovalComment } from '../approvals/model.ts';
import { readVisibleApproval } from '../approvals/queries.ts';
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { newId } from '../platform/ids.ts';
import {
  actorValues,
  change,
  event,
  insertSavedResponse,
  live,
  writeChange,
} from '../platform/journal/changeWriter.ts';
import { toEventActor } from '../platform/journal/events.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { sameColumns } from '../platform/journal/inserts.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import type { ViewDeps } from '../views/deps.ts';
import { alreadyDecidedFault, requirePending } from './decide.ts';

const commentChange = change('approvals.comment', {
  commented: `update approvals set comments = $comments::jsonb where env = $env and id = $id and status = 'pending' returning *`,
  happened: event(
    {
      ...sameColumns(['env', 'inbox', 'item']),
      verb: "'approval.comment'",
      target_type: "'approval'",
      target: 'id',
      data: `case when kind = 'bulk' then jsonb_build_object('inboxes', request -> 'inboxes') end`,
      after: `jsonb_strip_nulls(jsonb_build_object('comment', $comment::text, 'bulk', bulk, 'action', request ->> 'action',
        'resource', request ->> 'resource', 'flag', request ->> 'flag'))`,
    },
    { from: 'commented', returning: 'id' },
  ),
  told: live({ id: 'h.id', env: 'c.env', inbox: 'c.inbox' }, { from: 'happened h cross join commented c' }),
});

/** Returns the people whom the rule of independent approval keeps from deciding the approval. */
const readBarredFrom = async (db: Db | Tx, { independent, actor }: Approval, at: number): Promise<readonly string[]> =>
  independent ? ((await readBarred(db, [actor], at)).get(actor) ?? []) : [];

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
    const after = { ...locked, comments: [...known, comment] };
    const barred = await readBarredFrom(tx, locked, at);
    await writeChange(tx, commentChange, {
      env: caller.env.id,
      id,
      at,
      comments: JSON.stringify(after.comments),
      comment: comment.id,
      live: JSON.stringify(approvalLiveParts(after, at, 'changed', barred).slice(0, 1)),
      ...actorValues(toEventActor(caller)),
    });
    const saved = save(body);
    if (saved !== null) await insertSavedResponse(tx, saved, at);
  });
  deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
  return body;
};
