/** Asks for a person's approval: of an action, a bulk, a flag's change, or an item's change by a supervised agent. */
import { createHash } from 'node:crypto';
import { fault } from '../catalogue/errors.ts';
import type { Caller } from '../access/principal.ts';
import { isObject } from '../platform/core/guard.ts';
import { newId } from '../platform/core/ids.ts';
import { isDuplicate } from '../platform/db/errors.ts';
import type { Tx } from '../platform/db/knex.ts';
import { row, run, statement } from '../platform/db/sql.ts';
import type { DomainDeps } from '../settings/deps.ts';
import { keepAnswer } from '../platform/journal/answers.ts';
import type { SavedAnswer } from '../platform/journal/answers.ts';
import { channels } from '../platform/redis/bus.ts';
import { approvalEntryData, approvalJson, approvalParts, type Approval, type ApprovalKind, type Requests } from './model.ts';

export interface Asked {
  readonly approval: string;
  readonly run: string | null;
  readonly bulk: string | null;
}

export interface Wanted<K extends ApprovalKind> {
  readonly kind: K;
  /** One line for whoever decides. */
  readonly summary: string;
  readonly request: Requests[K];
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
  readonly also?: (tx: Tx, approval: string) => Promise<void>;
  readonly save: (asked: Asked) => SavedAnswer | null;
}

const same = statement('approvals.same', `
  select id as approval, run, bulk from approvals where env = $1 and actor = $2 and fingerprint = $3 and status = 'pending' and expires_at > $4`);

/** One that nobody has marked as expired yet must not stand in the way of a new one. */
const expireSame = statement('approvals.expireSame', `
  update approvals set status = 'expired' where env = $1 and actor = $2 and fingerprint = $3 and status = 'pending' and expires_at <= $4`);

const insert = statement('approvals.insert', `
  with made as (
    insert into approvals (id, env, kind, summary, actor_type, actor, actor_name, requested_at, expires_at, fingerprint, request, before, run, bulk, item, inbox, entry,
      request_id, address)
    values ($1, $2, $3, $4, $5, $6, $7, $8::bigint, $9::bigint, $10, $11::jsonb, $12::jsonb, $13, $14, $15, $16, $17, $18, $19)
  ), happened as (
    insert into events (env, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type, data, after, request_id, address)
    values ($2, $8, $5, $6, $7, $20, 'approval.request', 'approval', $1, $16, $15, $17, case when $17::text is null then null else 'approval' end,
      case when $17::text is null then null else $21::jsonb end, $22::jsonb, $18, $19) returning id
  )
  insert into outbox (id, env, at, parts, inbox) select id, $2, $8, $23, $16 from happened`);

/** JSON that is equal for equal values, in whatever order their members came. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member));

const pendingOne = async (deps: DomainDeps, caller: Caller, fingerprint: Buffer): Promise<Asked | undefined> =>
  row<Asked>(deps.db, same, [caller.env.id, caller.principal.id, fingerprint, deps.clock.now()]);

const again = async (deps: DomainDeps, asked: Asked, save: (asked: Asked) => SavedAnswer | null): Promise<Asked> => {
  const saved = save(asked);
  if (saved !== null) await keepAnswer(deps.db, saved, deps.clock.now());
  return asked;
};

const openMs = ({ config }: DomainDeps, { kind, expiresMs }: Pick<Wanted<ApprovalKind>, 'kind' | 'expiresMs'>): number =>
  (kind === 'flag' ? config.flagApprovalMs : config.approvalMs) ?? expiresMs;

const approvalOf = <K extends ApprovalKind>(caller: Caller, wanted: Wanted<K>, at: number): Approval<K> => {
  const { principal, env, requestId, address } = caller;
  if (principal.id === null) throw fault('forbidden');
  const { kind, summary, request, before, expiresMs, run: waiting = null, bulk = null, item = null } = wanted;
  return {
    id: newId('apr'), env: env.id, kind, status: 'pending', summary: summary.slice(0, 500).toWellFormed(), actor_type: principal.type, actor: principal.id,
    actor_name: principal.name, requested_at: at, expires_at: at + expiresMs, decided_by: null, decided_at: null, note: null, request,
    before: before as Approval['before'], run: waiting, bulk, item: item?.id ?? null, inbox: item?.inbox ?? (kind === 'item' ? (request as Requests['item']).inbox : null), entry: item === null ? null : newId('ent'),
    request_id: requestId, address,
  };
};

const write = async (tx: Tx, { principal }: Caller, approval: Approval, fingerprint: Buffer): Promise<void> => {
  const { id, env, kind, summary, actor_type: type, actor, actor_name: name, requested_at: at } = approval;
  const { action, resource, flag } = approvalJson(approval);
  const audited = { kind, summary, run: approval.run, bulk: approval.bulk, ...(action === null ? {} : { action, resource }), ...(flag === null ? {} : { flag }) };
  await run(tx, expireSame, [env, actor, fingerprint, at]);
  await run(tx, insert, [
    id, env, kind, summary, type, actor, name, at, approval.expires_at, fingerprint, JSON.stringify(approval.request),
    approval.before === null ? null : JSON.stringify(approval.before), approval.run, approval.bulk, approval.item, approval.inbox, approval.entry,
    approval.request_id, approval.address, principal.role?.name ?? null, JSON.stringify(approvalEntryData(approval)), JSON.stringify(audited),
    JSON.stringify(approvalParts(approval, at, 'created')),
  ]);
};

/** Answers the approval that is pending now: a new one, or that of the same request which was there already. */
export const requestApproval = async <K extends ApprovalKind>(deps: DomainDeps, caller: Caller, wanted: Wanted<K>): Promise<Asked> => {
  const fingerprint = createHash('sha256').update(inOrder(wanted.fingerprint)).digest();
  const known = await pendingOne(deps, caller, fingerprint);
  if (known !== undefined) return again(deps, known, wanted.save);
  const approval = approvalOf(caller, { ...wanted, expiresMs: openMs(deps, wanted) }, deps.clock.now());
  const asked: Asked = { approval: approval.id, run: approval.run, bulk: approval.bulk };
  try {
    await deps.db.transaction(async (tx) => {
      await wanted.also?.(tx, approval.id);
      await write(tx, caller, approval, fingerprint);
      const saved = wanted.save(asked);
      if (saved !== null) await keepAnswer(tx, saved, approval.requested_at);
    });
  } catch (error) {
    const other = isDuplicate(error, 'approvals_same') ? await pendingOne(deps, caller, fingerprint) : undefined;
    if (other === undefined) throw error;
    return again(deps, other, wanted.save);
  }
  deps.bus.publish(channels.nudge, 'outbox');
  return asked;
};
