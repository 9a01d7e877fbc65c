/** Ends approvals: updates the row, writes the timeline entry, the audit row and the live messages. For decisions/, actions/ and bulk/. */
import { type Caller, toEventActor } from '../accounts/access/principal.ts';
import { openApprovalStatuses, type ApprovalStatus } from '../catalogue/states/approvals.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { actorValues, change, event, live, writeChange } from '../platform/journal/changeWriter.ts';
import type { EventActor } from '../platform/journal/events.ts';
import { sameColumns } from '../platform/journal/inserts.ts';
import { approvalEventData, approvalLiveParts, readApproval, type Approval } from './model.ts';

export interface ApprovalEnding {
  readonly status: Exclude<ApprovalStatus, 'pending'>;
  /** The caller who ended it; null: the service, as the approval expired or became stale. */
  readonly by: EventActor | null;
  readonly note: string | null;
  /** Why it was decided so, in the words of the caller. */
  readonly reason?: string | null;
  /** The id of the item that the effect created, if the approval was for a new item. */
  readonly createdItem?: string | null;
  /** The votes of an approval that needed several people. */
  readonly votes?: Approval['votes'];
  /** The answer to a question. */
  readonly answer?: string | null;
}

const endChange = change('approvals.end', {
  ended: `update approvals set status = $status, decided_by = $decidedBy::jsonb, decided_at = $at::bigint, note = $note, item = coalesce($createdItem, item), answer = $answer,
      votes = coalesce($votes::jsonb, votes), request = $request::jsonb, asked = $asked::jsonb
    where env = $env and id = $id and status in (${sqlList(openApprovalStatuses)}) returning *`,
  happened: event(
    {
      ...sameColumns(['env', 'inbox', 'item', 'entry']),
      verb: '$verb',
      target_type: "'approval'",
      target: 'id',
      type: "case when entry is null then null else 'approval' end",
      is_update: 'true',
      data: '$data::jsonb',
      before: `'{"status":"pending"}'`,
      after: `jsonb_build_object('status', $status::text, 'note', $note::text, 'run', run, 'bulk', bulk)
        || jsonb_strip_nulls(jsonb_build_object('action', request ->> 'action', 'resource', request ->> 'resource', 'flag', request ->> 'flag', 'reason', $reason::text, 'answer', $answer::text))`,
    },
    { from: 'ended', returning: 'id' },
  ),
  told: live({ id: 'h.id', env: 'e.env', inbox: 'e.inbox' }, { from: 'happened h cross join ended e' }),
});

/** Who ends an approval whose time is up. */
const nobody: EventActor = { type: 'system', id: null, name: 'approvals', role: null, requestId: null, address: null };

const auditVerbs: Readonly<Record<ApprovalEnding['status'], string>> = {
  approved: 'approval.approve',
  rejected: 'approval.reject',
  answered: 'approval.answer',
  cancelled: 'approval.cancel',
  expired: 'approval.expire',
  stale: 'approval.stale',
};

/** Returns the approval as the ending leaves it. */
const toEndedApproval = (
  approval: Approval,
  { status, by, note, createdItem = null, answer = null, votes = approval.votes }: ApprovalEnding,
  at: number,
): Approval => ({
  ...approval,
  item: createdItem ?? approval.item,
  status,
  decided_by: by === null ? null : { type: by.type, id: by.id, name: by.name },
  decided_at: at,
  note,
  answer,
  votes,
});

/** Ends a pending approval and returns it as it is then. Returns null, and writes nothing, when the approval is not pending. */
export const endApproval = async (
  db: Db | Tx,
  approval: Approval,
  ending: ApprovalEnding,
  at: number,
): Promise<Approval | null> => {
  const after = toEndedApproval(approval, ending, at);
  const { by } = ending;
  const written = await writeChange(db, endChange, {
    env: approval.env,
    id: approval.id,
    at,
    status: after.status,
    decidedBy: after.decided_by,
    note: after.note,
    verb: auditVerbs[ending.status],
    data: approvalEventData(after),
    live: JSON.stringify(approvalLiveParts(after, at, 'changed')),
    createdItem: ending.createdItem,
    answer: ending.answer,
    votes: after.votes === null ? null : JSON.stringify(after.votes),
    request: after.request,
    asked: after.asked,
    reason: ending.reason,
    ...actorValues({ ...(by ?? nobody), requestId: by?.requestId ?? approval.request_id }),
  });
  return written > 0 ? after : null;
};

/** Returns the ending that a caller makes. */
export const endingByCaller = (
  caller: Caller,
  status: ApprovalEnding['status'],
  note: string | null,
): ApprovalEnding => ({ status, note, reason: caller.reason ?? null, by: toEventActor(caller) });

/**
 * Cancels the approval whose run or bulk is cancelled after it in the same transaction, in the order in which decisions lock the two.
 * Returns false, and writes nothing, when it is not pending.
 */
export const withdrawApproval = async (tx: Tx, caller: Caller, id: string, at: number): Promise<boolean> => {
  const approval = await readApproval(tx, caller.env.id, id, true);
  if (approval?.status !== 'pending') return false;
  return (await endApproval(tx, approval, endingByCaller(caller, 'cancelled', null), at)) !== null;
};
