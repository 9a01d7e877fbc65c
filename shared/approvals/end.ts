/** The end of an approval: its row, its entry on the timeline, the audit log under whoever decided, and what subscribers are told. */
import type { By } from '../catalogue/events.ts';
import { byOf, type Caller } from '../access/principal.ts';
import type { ApprovalStatus } from '../catalogue/states.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { run, statement } from '../platform/db/sql.ts';
import type { DomainDeps } from '../settings/deps.ts';
import { channels } from '../platform/redis/bus.ts';
import { approvalEntryData, approvalParts, readApproval, type Approval } from './model.ts';

export interface Ending {
  readonly status: Exclude<ApprovalStatus, 'pending'>;
  /** null: nobody, its time was up. */
  readonly by: (By & { readonly role: string | null; readonly requestId: string | null; readonly address: string | null }) | null;
  readonly note: string | null;
  /** The item that came of it, of one that asked for a new one. */
  readonly made?: string | null;
}

const end = statement('approvals.end', `
  with ended as (
    update approvals set status = $3, decided_by = $4::jsonb, decided_at = $5::bigint, note = $6, item = coalesce($16, item) where env = $1 and id = $2 and status = 'pending' returning *
  ), happened as (
    insert into events (env, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type, is_update, data, before, after, request_id, address)
    select env, $5, $7, $8, $9, $10, $11, 'approval', id, inbox, item, entry, case when entry is null then null else 'approval' end, true,
      case when entry is null then null else $12::jsonb end, '{"status":"pending"}', jsonb_build_object('status', $3::text, 'note', $6::text, 'run', run, 'bulk', bulk)
        || jsonb_strip_nulls(jsonb_build_object('action', request ->> 'action', 'resource', request ->> 'resource', 'flag', request ->> 'flag')), $13, $14
    from ended returning id
  )
  insert into outbox (id, env, at, parts, inbox) select h.id, e.env, $5, $15, e.inbox from happened h cross join ended e`);

const verbs: Readonly<Record<Ending['status'], string>> = {
  approved: 'approval.approve', rejected: 'approval.reject', cancelled: 'approval.cancel', expired: 'approval.expire', stale: 'approval.stale',
};

export const endedApproval = (approval: Approval, { status, by, note, made = null }: Ending, at: number): Approval => ({
  ...approval, item: made ?? approval.item, status, decided_by: by === null ? null : { type: by.type, id: by.id, name: by.name }, decided_at: at, note,
});

/** The approval as it is then; null when it had ended already, and nothing was written. */
export const endApproval = async (db: Db | Tx, approval: Approval, ending: Ending, at: number): Promise<Approval | null> => {
  const after = endedApproval(approval, ending, at);
  const { by } = ending;
  const written = await run(db, end, [
    approval.env, approval.id, after.status, after.decided_by === null ? null : JSON.stringify(after.decided_by), at, after.note,
    by?.type ?? 'system', by?.id ?? null, by?.name ?? 'approvals', by?.role ?? null, verbs[ending.status], JSON.stringify(approvalEntryData(after)),
    by?.requestId ?? approval.request_id, by?.address ?? null, JSON.stringify(approvalParts(after, at, 'changed')),
    ending.made ?? null,
  ]);
  return written > 0 ? after : null;
};

/** An ending by a caller. */
export const endingBy = ({ principal, requestId, address }: Caller, status: Ending['status'], note: string | null): Ending => ({
  status, note, by: { ...byOf(principal), role: principal.role?.name ?? null, requestId, address },
});

/** What waited for an approval was cancelled by itself, such as its run. */
export const withdrawApproval = async (deps: DomainDeps, caller: Caller, id: string): Promise<void> => {
  const approval = await readApproval(deps.db, caller.env.id, id);
  if (approval?.status !== 'pending') return;
  await endApproval(deps.db, approval, endingBy(caller, 'cancelled', null), deps.clock.now());
  deps.bus.publish(channels.nudge, 'outbox');
};
