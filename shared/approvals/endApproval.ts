/** Ends approvals: updates the row, writes the timeline entry, the audit row and the live messages. For decisions/, actions/ and bulk/. */
import { openApprovalStatuses, type ApprovalStatus } from '../catalogue/states/approvals.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import type { ActorRef } from '../catalogue/events.ts';
import { toActorRef, type Caller } from '../access/principal.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import type { DomainDeps } from '../settings/deps.ts';
import { channels } from '../platform/redis/bus.ts';
import { approvalEntryData, approvalLiveParts, readApproval, type Approval } from './model.ts';

export interface ApprovalEnding {
  readonly status: Exclude<ApprovalStatus, 'pending'>;
  /** The caller who ended it; null: the service, as the approval expired or became stale. */
  readonly by:
    | (ActorRef & { readonly role: string | null; readonly requestId: string | null; readonly address: string | null })
    | null;
  readonly note: string | null;
  /** The id of the item that the effect created, if the approval was for a new item. */
  readonly createdItem?: string | null;
}

const endApprovalSql = statement(
  'approvals.end',
  `
  with ended as (
    update approvals set status = $3, decided_by = $4::jsonb, decided_at = $5::bigint, note = $6, item = coalesce($16, item) where env = $1 and id = $2 and status in (${sqlList(openApprovalStatuses)}) returning *
  ), happened as (
    insert into events (env, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type, is_update, data, before, after, request_id, address)
    select env, $5, $7, $8, $9, $10, $11, 'approval', id, inbox, item, entry, case when entry is null then null else 'approval' end, true,
      case when entry is null then null else $12::jsonb end, '{"status":"pending"}', jsonb_build_object('status', $3::text, 'note', $6::text, 'run', run, 'bulk', bulk)
        || jsonb_strip_nulls(jsonb_build_object('action', request ->> 'action', 'resource', request ->> 'resource', 'flag', request ->> 'flag')), $13, $14
    from ended returning id
  )
  insert into outbox (id, env, at, parts, inbox) select h.id, e.env, $5, $15, e.inbox from happened h cross join ended e`,
);

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
    by?.type ?? 'system',
    by?.id ?? null,
    by?.name ?? 'approvals',
    by?.role ?? null,
    auditVerbs[ending.status],
    JSON.stringify(approvalEntryData(after)),
    by?.requestId ?? approval.request_id,
    by?.address ?? null,
    JSON.stringify(approvalLiveParts(after, at, 'changed')),
    ending.createdItem ?? null,
  ]);
  return written > 0 ? after : null;
};

/** Returns the ending that a caller makes. */
export const endingByCaller = (
  { principal, requestId, address }: Caller,
  status: ApprovalEnding['status'],
  note: string | null,
): ApprovalEnding => ({
  status,
  note,
  by: { ...toActorRef(principal), role: principal.role?.name ?? null, requestId, address },
});

/** Cancels a pending approval whose run or bulk was cancelled. */
export const withdrawApproval = async (deps: DomainDeps, caller: Caller, id: string): Promise<void> => {
  const approval = await readApproval(deps.db, caller.env.id, id);
  if (approval?.status !== 'pending') return;
  await endApproval(deps.db, approval, endingByCaller(caller, 'cancelled', null), deps.clock.now());
  deps.bus.publish(channels.workAvailable, 'outbox');
};
