/** Requests a person's approval of a run, a bulk, a flag's change, or an item's change by a supervised agent. For actions/, bulk/, flags/ and items/. */
import { createHash } from 'node:crypto';
import { type Caller, toEventActor } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { isIndependent, readBarred } from '../accounts/settings/independence.ts';
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { openApprovalStatuses } from '../catalogue/states/approvals.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { isUniqueViolation } from '../platform/db/errors.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement, takeLock } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import {
  actor,
  actorValues,
  change,
  event,
  insertSavedResponse,
  live,
  writeChange,
} from '../platform/journal/changeWriter.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { canonicalJson } from '../platform/json/jsonLimits.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import {
  approvalEventData,
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

interface ApprovalRequestDetails {
  /** One line for the person who decides; cut after `summaryMax` characters. */
  readonly summary: string;
  /** The target at the time of the request. */
  readonly before: object | null;
  /** Equal for equal requests: a principal's second request gets the approval of the first while that is pending. */
  readonly fingerprint: unknown;
  /** Milliseconds until the approval expires, unless the configuration sets them. */
  readonly expiresMs: number;
  /** Why the caller asks for it; no part of what makes two requests equal. */
  readonly reason?: string | null;
  /** What the action is called, or the person who is to be assigned. */
  readonly label?: string | null;
  /** Whether the action declares that its effect can be undone. */
  readonly reversible?: boolean | null;
  /** The number of people who have to approve it, and their roles. Absent: one person of any role. */
  readonly needed?: number;
  readonly roles?: readonly string[] | null;
  readonly run?: string;
  readonly bulk?: string;
  /** The item whose timeline gets an entry. */
  readonly item?: { readonly id: string; readonly inbox: string } | null;
  /** Writes in the same transaction what waits for the approval, such as the run. */
  readonly alsoInTransaction?: (tx: Tx, approval: string) => Promise<void>;
  /** Returns the response to save under the caller's idempotency key, or null without a key. */
  readonly save: (pending: PendingApproval) => SavedResponse | null;
}

type ApprovalRequest<K extends ApprovalKind = ApprovalKind> = {
  [T in K]: ApprovalRequestDetails & { readonly kind: T; readonly request: ApprovalRequestData[T] };
}[K];

const summaryMax = 500;

const findPendingSql = statement(
  'approvals.same',
  `
  select id as approval, run, bulk from approvals where env = $1 and actor = $2 and fingerprint = $3 and status in (${sqlList(openApprovalStatuses)}) and expires_at > $4`,
);

/**
 * An expired approval that the sweep has not reached yet would violate the unique index `approvals_same`. It gets another
 * fingerprint, and is left to the sweep, which ends what waits for it too.
 */
const freeFingerprintSql = statement(
  'approvals.freeFingerprint',
  `
  update approvals set fingerprint = sha256(fingerprint || convert_to(id, 'UTF8'))
  where env = $1 and actor = $2 and fingerprint = $3 and status in (${sqlList(openApprovalStatuses)}) and expires_at <= $4`,
);

const openOfActorSql = statement(
  'approvals.openOfActor',
  `
  select count(*)::int as n from (
    select from approvals where env = $1 and actor = $2 and status in (${sqlList(openApprovalStatuses)}) and (kind = 'question') = $4 limit $3) open`,
);

/**
 * Throws `rate_limited` when as many requests, or questions, of the caller wait already as may wait. The caller's transactions run in
 * turn from here on, so that they do not pass the limit together.
 */
const requireDecisionRoom = async (
  tx: Tx,
  { env, principal }: Caller,
  { kind }: Pick<ApprovalRequest, 'kind'>,
): Promise<void> => {
  const isQuestion = kind === 'question';
  const most = isQuestion ? limits.openQuestions : limits.openApprovals;
  await takeLock(tx, `approvals ${principal.id ?? ''}`, env.id);
  const open = await queryRow<{ n: number }>(tx, openOfActorSql, [env.id, principal.id, most, isQuestion]);
  if ((open?.n ?? 0) < most) return;
  throw fault(
    'rate_limited',
    `${String(most)} of your ${isQuestion ? 'questions' : 'requests'} wait for a decision already; cancel some of them, or wait for people.`,
    { headers: { 'retry-after': '60' } },
  );
};

const independentSql = statement(
  'approvals.independent',
  `select ${isIndependent} as independent from environments e where e.id = $1`,
);

const insertApproval = change('approvals.insert', {
  made: `
    insert into approvals (id, env, kind, summary, requested_at, expires_at, fingerprint, request, before, run, bulk, item, inbox, entry,
      actor_type, actor, actor_name, request_id, address, independent, reason, label, reversible, needed, roles)
    values ($id, $env, $kind, $summary, $at::bigint, $expires::bigint, $fingerprint, $request::jsonb, $before::jsonb, $run, $bulk, $item, $inbox, $entry,
      ${actor.actor_type}, ${actor.actor}, ${actor.actor_name}, ${actor.request_id}, ${actor.address},
      (select ${isIndependent} from environments e where e.id = $env), $reason, $label, $reversible::boolean, $needed::int, $roles::jsonb)`,
  happened: event(
    {
      verb: "'approval.request'",
      target_type: "'approval'",
      target: '$id',
      inbox: '$inbox',
      item: '$item',
      entry: '$entry',
      type: "case when $entry::text is null then null else 'approval' end",
      data: '$data::jsonb',
      after: '$after::jsonb',
    },
    { returning: 'id' },
  ),
  told: live({ id: 'id', inbox: '$inbox' }, { from: 'happened' }),
});

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
  pending: PendingApproval,
  save: ApprovalRequest['save'],
): Promise<PendingApproval> => {
  const saved = save(pending);
  if (saved !== null) await insertSavedResponse(deps.db, saved, deps.clock.now());
  return pending;
};

const approvalLifetimeMs = ({ config }: DomainDeps, { kind, expiresMs }: ApprovalRequest): number =>
  (kind === 'question' ? null : kind === 'flag' ? config.flagApprovalMs : config.approvalMs) ?? expiresMs;

const inboxOf = (wanted: ApprovalRequest): string | null =>
  wanted.item?.inbox ?? (wanted.kind === 'item' ? wanted.request.inbox : null);

/** Returns the approval as it is inserted; `inbox` is that of `inboxOf`. */
const buildApproval = <K extends ApprovalKind>(
  caller: Caller,
  wanted: ApprovalRequest<K>,
  inbox: string | null,
  at: number,
): Approval<K> => {
  const { principal, env, requestId, address } = caller;
  if (principal.id === null) throw fault('forbidden');
  const { kind, summary, request, before, expiresMs, run: waiting = null, bulk = null, item = null } = wanted;
  const { reason = caller.reason ?? null, label = null, reversible = null } = wanted;
  return {
    id: newId('apr'),
    env: env.id,
    kind,
    status: 'pending',
    summary: summary.slice(0, summaryMax).toWellFormed(),
    actor_type: principal.type,
    actor: principal.id,
    actor_name: principal.name,
    requested_at: at,
    expires_at: at + expiresMs,
    decided_by: null,
    decided_at: null,
    note: null,
    reason,
    label,
    reversible,
    independent: false,
    request,
    before,
    run: waiting,
    bulk,
    item: item?.id ?? null,
    inbox,
    entry: item === null ? null : newId('ent'),
    request_id: requestId,
    address,
    comments: null,
    answer: null,
    votes: null,
    needed: wanted.needed ?? 1,
    roles: wanted.roles ?? null,
    asked: null,
  };
};

/** Returns the people who may not decide a request of the caller, for the live message of it. */
const readBarredFrom = async (db: Db, { principal, env }: Caller, at: number): Promise<readonly string[]> => {
  if (principal.id === null) return [];
  const row = await queryRow<{ independent: boolean }>(db, independentSql, [env.id]);
  if (row?.independent !== true) return [];
  return (await readBarred(db, [principal.id], at)).get(principal.id) ?? [];
};

interface ApprovalInsert {
  readonly approval: Approval;
  readonly fingerprint: Buffer;
  readonly barred: readonly string[];
}

const writeApproval = async (
  tx: Tx,
  caller: Caller,
  { approval, fingerprint, barred }: ApprovalInsert,
): Promise<void> => {
  const { env, kind, summary, actor: requester, requested_at: at, reason, run, bulk } = approval;
  const { action, resource, flag } = approvalJson(approval);
  await executeStatement(tx, freeFingerprintSql, [env, requester, fingerprint, at]);
  await writeChange(tx, insertApproval, {
    ...approval,
    roles: approval.roles === null ? null : JSON.stringify(approval.roles),
    at,
    expires: approval.expires_at,
    fingerprint,
    data: approvalEventData(approval),
    after: {
      kind,
      summary,
      run,
      bulk,
      ...(reason === null ? {} : { reason }),
      ...(action === null ? {} : { action, resource }),
      ...(flag === null ? {} : { flag }),
    },
    live: JSON.stringify(approvalLiveParts(approval, at, 'created', barred)),
    ...actorValues(toEventActor(caller)),
  });
};

/** Inserts an approval and returns it, or the pending one of an equal request of the same principal. */
export const requestApproval = async (
  deps: DomainDeps,
  caller: Caller,
  wanted: ApprovalRequest,
): Promise<PendingApproval> => {
  const fingerprint = createHash('sha256').update(canonicalJson(wanted.fingerprint)).digest();
  const known = await findPendingApproval(deps, caller, fingerprint);
  if (known !== undefined) return reusePendingApproval(deps, known, wanted.save);
  const lasting = { ...wanted, expiresMs: approvalLifetimeMs(deps, wanted) };
  const approval = buildApproval(caller, lasting, inboxOf(wanted), deps.clock.now());
  const barred = await readBarredFrom(deps.db, caller, approval.requested_at);
  const pending: PendingApproval = { approval: approval.id, run: approval.run, bulk: approval.bulk };
  try {
    await deps.db.transaction(async (tx) => {
      await requireDecisionRoom(tx, caller, wanted);
      await wanted.alsoInTransaction?.(tx, approval.id);
      await writeApproval(tx, caller, { approval, fingerprint, barred });
      const saved = wanted.save(pending);
      if (saved !== null) await insertSavedResponse(tx, saved, approval.requested_at);
    });
  } catch (error) {
    const other = isUniqueViolation(error, 'approvals_same')
      ? await findPendingApproval(deps, caller, fingerprint)
      : undefined;
    if (other === undefined) throw error;
    return reusePendingApproval(deps, other, wanted.save);
  }
  deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
  return pending;
};
