/** Asks for a person's approval: of an action, a bulk, a flag's change, or an item's change by a supervised agent. */
import { createHash } from 'node:crypto';
import { fault } from '../catalogue/errors.ts';
import type { Caller } from '../access/principal.ts';
import { isObject } from '../platform/core/jsonLimits.ts';
import { newId } from '../platform/core/ids.ts';
import { isUniqueViolation } from '../platform/db/errors.ts';
import type { Tx } from '../platform/db/knex.ts';
import { queryRow, executeStatement, statement } from '../platform/db/sql.ts';
import type { DomainDeps } from '../settings/deps.ts';
import { insertSavedResponse } from '../platform/journal/idempotency.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { channels } from '../platform/redis/bus.ts';
import {
  approvalEntryData,
  approvalJson,
  approvalLiveParts,
  type Approval,
  type ApprovalKind,
  type ApprovalRequestData,
} from './model.ts';

interface PendingApproval {
  readonly approval: string;
  readonly run: string | null;
  readonly bulk: string | null;
}

interface ApprovalRequest<K extends ApprovalKind> {
  readonly kind: K;
  /** One line for whoever decides. */
  readonly summary: string;
  readonly request: ApprovalRequestData[K];
  /** The target as it is now. */
  readonly before: object | null;
  /** Equal for equal requests: one of the same principal that is pending is answered again. */
  readonly fingerprint: unknown;
  /** How long it is open unless the operator has set it, in ms. */
  readonly expiresMs: number;
  readonly run?: string;
  readonly bulk?: string;
  /** The item on whose timeline it goes. */
  readonly item?: { readonly id: string; readonly inbox: string } | null;
  /** Written in the same transaction, such as the run that waits. */
  readonly alsoInTransaction?: (tx: Tx, approval: string) => Promise<void>;
  readonly save: (asked: PendingApproval) => SavedResponse | null;
}

const findPendingSql = statement(
  'approvals.same',
  `
  select id as approval, run, bulk from approvals where env = $1 and actor = $2 and fingerprint = $3 and status = 'pending' and expires_at > $4`,
);

/** One that nobody has marked as expired yet must not stand in the way of a new one. */
const expirePendingSql = statement(
  'approvals.expireSame',
  `
  update approvals set status = 'expired' where env = $1 and actor = $2 and fingerprint = $3 and status = 'pending' and expires_at <= $4`,
);

const insertApprovalSql = statement(
  'approvals.insert',
  `
  with made as (
    insert into approvals (id, env, kind, summary, actor_type, actor, actor_name, requested_at, expires_at, fingerprint, request, before, run, bulk, item, inbox, entry,
      request_id, address)
    values ($1, $2, $3, $4, $5, $6, $7, $8::bigint, $9::bigint, $10, $11::jsonb, $12::jsonb, $13, $14, $15, $16, $17, $18, $19)
  ), happened as (
    insert into events (env, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type, data, after, request_id, address)
    values ($2, $8, $5, $6, $7, $20, 'approval.request', 'approval', $1, $16, $15, $17, case when $17::text is null then null else 'approval' end,
      case when $17::text is null then null else $21::jsonb end, $22::jsonb, $18, $19) returning id
  )
  insert into outbox (id, env, at, parts, inbox) select id, $2, $8, $23, $16 from happened`,
);

/** JSON that is equal for equal values, in whatever order their members came. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );

const findPendingApproval = async (
  deps: DomainDeps,
  caller: Caller,
  fingerprint: Buffer,
): Promise<PendingApproval | undefined> =>
  queryRow<PendingApproval>(deps.db, findPendingSql, [
    caller.env.id,
    caller.principal.id,
    fingerprint,
    deps.clock.now(),
  ]);

const reusePendingApproval = async (
  deps: DomainDeps,
  asked: PendingApproval,
  save: (asked: PendingApproval) => SavedResponse | null,
): Promise<PendingApproval> => {
  const saved = save(asked);
  if (saved !== null) await insertSavedResponse(deps.db, saved, deps.clock.now());
  return asked;
};

const approvalLifetimeMs = (
  { config }: DomainDeps,
  { kind, expiresMs }: Pick<ApprovalRequest<ApprovalKind>, 'kind' | 'expiresMs'>,
): number => (kind === 'flag' ? config.flagApprovalMs : config.approvalMs) ?? expiresMs;

const buildApproval = <K extends ApprovalKind>(caller: Caller, wanted: ApprovalRequest<K>, at: number): Approval<K> => {
  const { principal, env, requestId, address } = caller;
  if (principal.id === null) throw fault('forbidden');
  const { kind, summary, request, before, expiresMs, run: waiting = null, bulk = null, item = null } = wanted;
  return {
    id: newId('apr'),
    env: env.id,
    kind,
    status: 'pending',
    summary: summary.slice(0, 500).toWellFormed(),
    actor_type: principal.type,
    actor: principal.id,
    actor_name: principal.name,
    requested_at: at,
    expires_at: at + expiresMs,
    decided_by: null,
    decided_at: null,
    note: null,
    request,
    before: before as Approval['before'],
    run: waiting,
    bulk,
    item: item?.id ?? null,
    inbox: item?.inbox ?? (kind === 'item' ? (request as ApprovalRequestData['item']).inbox : null),
    entry: item === null ? null : newId('ent'),
    request_id: requestId,
    address,
  };
};

const insertApproval = async (
  tx: Tx,
  { principal }: Caller,
  approval: Approval,
  fingerprint: Buffer,
): Promise<void> => {
  const { id, env, kind, summary, actor_type: type, actor, actor_name: name, requested_at: at } = approval;
  const { action, resource, flag } = approvalJson(approval);
  const audited = {
    kind,
    summary,
    run: approval.run,
    bulk: approval.bulk,
    ...(action === null ? {} : { action, resource }),
    ...(flag === null ? {} : { flag }),
  };
  await executeStatement(tx, expirePendingSql, [env, actor, fingerprint, at]);
  await executeStatement(tx, insertApprovalSql, [
    id,
    env,
    kind,
    summary,
    type,
    actor,
    name,
    at,
    approval.expires_at,
    fingerprint,
    JSON.stringify(approval.request),
    approval.before === null ? null : JSON.stringify(approval.before),
    approval.run,
    approval.bulk,
    approval.item,
    approval.inbox,
    approval.entry,
    approval.request_id,
    approval.address,
    principal.role?.name ?? null,
    JSON.stringify(approvalEntryData(approval)),
    JSON.stringify(audited),
    JSON.stringify(approvalLiveParts(approval, at, 'created')),
  ]);
};

/** Answers the approval that is pending now: a new one, or that of the same request which was there already. */
export const requestApproval = async <K extends ApprovalKind>(
  deps: DomainDeps,
  caller: Caller,
  wanted: ApprovalRequest<K>,
): Promise<PendingApproval> => {
  const fingerprint = createHash('sha256').update(canonicalJson(wanted.fingerprint)).digest();
  const known = await findPendingApproval(deps, caller, fingerprint);
  if (known !== undefined) return reusePendingApproval(deps, known, wanted.save);
  const approval = buildApproval(caller, { ...wanted, expiresMs: approvalLifetimeMs(deps, wanted) }, deps.clock.now());
  const asked: PendingApproval = { approval: approval.id, run: approval.run, bulk: approval.bulk };
  try {
    await deps.db.transaction(async (tx) => {
      await wanted.alsoInTransaction?.(tx, approval.id);
      await insertApproval(tx, caller, approval, fingerprint);
      const saved = wanted.save(asked);
      if (saved !== null) await insertSavedResponse(tx, saved, approval.requested_at);
    });
  } catch (error) {
    const other = isUniqueViolation(error, 'approvals_same')
      ? await findPendingApproval(deps, caller, fingerprint)
      : undefined;
    if (other === undefined) throw error;
    return reusePendingApproval(deps, other, wanted.save);
  }
  deps.bus.publish(channels.workAvailable, 'outbox');
  return asked;
};
