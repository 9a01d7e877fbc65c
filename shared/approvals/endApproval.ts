/** Ends approvals: updates the row, writes the timeline entry, the audit row and the live messages. For decisions/, actions/ and bulk/. */
import type { Caller } from '../access/principal.ts';
import { openApprovalStatuses, type ApprovalStatus } from '../catalogue/states/approvals.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import {
  actorParameters,
  actorValues,
  eventInsert,
  toEventActor,
  type EventActor,
} from '../platform/journal/events.ts';
import { sameColumns } from '../platform/journal/insertText.ts';
import { outboxInsert } from '../platform/journal/outbox.ts';
import { approvalEntryData, approvalLiveParts, readApproval, type Approval } from './model.ts';

export interface ApprovalEnding {
  readonly status: Exclude<ApprovalStatus, 'pending'>;
  /** The caller who ended it; null: the service, as the approval expired or became stale. */
  readonly by: EventActor | null;
  readonly note: string | null;
  /** Why it was decided so, in the words of the caller. */
  readonly reason?: string | null;
  /** The id of the item that the effect created, if the approval was for a new item. */
  readonly createdItem?: string | null;
}

const endApprovalSql = statement(
  'approvals.end',
  `
  with ended as (
    update approvals set status = $3, decided_by = $4::jsonb, decided_at = $5::bigint, note = $6, item = coalesce($10, item) where env = $1 and id = $2 and status in (${sqlList(openApprovalStatuses)}) returning *
  ), happened as (${eventInsert(
    {
      ...sameColumns(['env', 'inbox', 'item', 'entry']),
      ...actorParameters(11),
      at: '$5',
      verb: '$7',
      target_type: "'approval'",
      target: 'id',
      type: "case when entry is null then null else 'approval' end",
      is_update: 'true',
      data: 'case when entry is null then null else $8::jsonb end',
      before: `'{"status":"pending"}'`,
      after: `jsonb_build_object('status', $3::text, 'note', $6::text, 'run', run, 'bulk', bulk)
        || jsonb_strip_nulls(jsonb_build_object('action', request ->> 'action', 'resource', request ->> 'resource', 'flag', request ->> 'flag', 'reason', $17::text))`,
    },
    { from: 'ended', returning: 'id' },
  )})
  ${outboxInsert(
    { id: 'h.id', env: 'e.env', at: '$5', parts: '$9', inbox: 'e.inbox' },
    { from: 'happened h cross join ended e' },
  )}`,
);

/** Who ends an approval whose time is up. */
const nobody: EventActor = { type: 'system', id: null, name: 'approvals', role: null, requestId: null, address: null };

const auditVerbs: Readonly<Record<ApprovalEnding['status'], string>> = {
  approved: 'approval.approve',
  rejected: 'approval.reject',
  cancelled: 'approval.cancel',
  expired: 'approval.expire',
  stale: 'approval.stale',
};

/** Returns the approval as the ending leaves it. */
const toEndedApproval = (
  approval: Approval,
  { status, by, note, createdItem = null }: ApprovalEnding,
  at: number,
): Approval => ({
  ...approval,
  item: createdItem ?? approval.item,
  status,
  decided_by: by === null ? null : { type: by.type, id: by.id, name: by.name },
  decided_at: at,
  note,
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
  const written = await executeStatement(db, endApprovalSql, [
    approval.env,
    approval.id,
    after.status,
    after.decided_by === null ? null : JSON.stringify(after.decided_by),
    at,
    after.note,
    auditVerbs[ending.status],
    JSON.stringify(approvalEntryData(after)),
    JSON.stringify(approvalLiveParts(after, at, 'changed')),
    ending.createdItem ?? null,
    ...actorValues({ ...(by ?? nobody), requestId: by?.requestId ?? approval.request_id }),
    ending.reason ?? null,
  ]);
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
