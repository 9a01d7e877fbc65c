/** The effect of an approval, by its kind: what decide.ts does in its transaction when a person approves, and after the commit. */
import { isDeepStrictEqual } from 'node:util';
import { fullAccess } from '../accounts/access/access.ts';
import { type Caller, withoutSupervision } from '../accounts/access/principal.ts';
import type { ActionDefinition } from '../app/manifest/actions.ts';
import type { Approval, ApprovalKind } from '../approvals/model.ts';
import { readNews } from '../approvals/news.ts';
import { startApprovedBulk } from '../bulk/bulkApproval.ts';
import { hashBulkRecords } from '../bulk/bulkRecords.ts';
import { bulkJson } from '../bulk/present.ts';
import { readBulk } from '../bulk/queries.ts';
import { type Fault, fault } from '../catalogue/errors.ts';
import type { ActorRef } from '../catalogue/events.ts';
import { applyFlagChange } from '../flags/changeFlag.ts';
import { type Item, readItems } from '../items/model.ts';
import { bindInput } from '../items/operation.ts';
import { parseCreateInput } from '../items/operations/create.ts';
import { createItemTx, requireMayCreate } from '../items/perform/create.ts';
import { performOperationTx } from '../items/perform/perform.ts';
import { findUndo } from '../items/perform/undo.ts';
import { presentItem } from '../items/present.ts';
import { resolveCustomerAddress } from '../items/replyAddress.ts';
import { supervisedOperations } from '../items/supervised.ts';
import type { Tx } from '../platform/db/knex.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { findRecords, hashRecord } from '../records/queries.ts';
import { toQueuedRun } from '../runs/accept/acceptAction.ts';
import { isRetryable, resetForRetry } from '../runs/accept/retryRun.ts';
import { requireRunnableAction, reauthorizeAction } from '../runs/authorizeAction.ts';
import { type Run, readRun } from '../runs/model.ts';
import { transitionRun } from '../runs/moveRun.ts';
import type { JobDue } from '../runs/runStatementParts.ts';
import { servedRecordOf } from '../views/approvals/digest.ts';
import type { ViewDeps } from '../views/deps.ts';

/** The members of the response of `POST /approvals/:id/approve` besides the approval; those of the other kinds are null. */
export interface ApprovalEffects {
  readonly run: string | null;
  readonly flag: unknown;
  readonly bulk: unknown;
  readonly item: unknown;
}

export const emptyEffects: ApprovalEffects = { run: null, flag: null, bulk: null, item: null };

export interface ApprovalContext<K extends ApprovalKind = ApprovalKind> {
  readonly deps: ViewDeps;
  readonly approval: Approval<K>;
  /** The requester with present rights; the effect is recorded under this name. */
  readonly requester: Caller;
  readonly decidedBy: ActorRef;
  /** What stands for what the decider saw; undefined: the decider does not say. */
  readonly digest: string | undefined;
}

/** Writes the effect. Throws `stale` when the data that was checked before has changed. */
export type ApprovalEffect = (tx: Tx) => Promise<ApprovalEffects>;

/** Checks the request against present data and rights, calling the app where needed. Throws the fault that prevents the effect. */
type PrepareEffect<K extends ApprovalKind> = (approving: ApprovalContext<K>) => Promise<ApprovalEffect>;

/** Returns the fault for an approval whose target, requester or declaration has changed since the request. */
export const staleFault = (path: string, message: string): Fault =>
  fault('stale', `This approval no longer fits: ${message}.`, { details: [{ path, message }] });

/** Checks that the requester may still run the bulk's action. Throws `stale` when the bulk is not pending. */
export const prepareBulkApproval: PrepareEffect<'bulk'> = async ({ deps, approval, requester, decidedBy }) => {
  const { operation, action, fields } = approval.request;
  if (operation.type === 'action') requireRunnableAction(requester, action ?? '');
  const { bulk: id } = approval;
  if (id === null) throw staleFault('bulk', 'it has no bulk');
  return async (tx) => {
    const bulk = await readBulk(tx, approval.env, id);
    if (bulk === undefined || bulk.status !== 'pending') throw staleFault('bulk', 'its bulk is not pending any more');
    const hashes =
      fields === undefined
        ? null
        : await hashBulkRecords(tx, requester.env, { bulk: id, ids: null, ...approval.request });
    if (hashes !== null && hashes.stale !== fields)
      throw staleFault('record.fields', 'fields of its records have changed since the request');
    await startApprovedBulk(tx, bulk, decidedBy, deps.clock.now());
    return { ...emptyEffects, bulk: bulkJson({ ...bulk, status: 'queued' }) };
  };
};

/** Changes the flag. Throws `stale` when anything but ramp steps has changed the flag since the request. */
export const prepareFlagApproval: PrepareEffect<'flag'> = ({ deps, approval, requester, decidedBy }) => {
  const { flag, change, changes } = approval.request;
  return Promise.resolve(async (tx) => ({
    ...emptyEffects,
    flag: await applyFlagChange(deps, tx, requester, flag, change, { expectedChanges: changes, approvedBy: decidedBy }),
  }));
};

/** Throws `stale` when a field that the action names in `stale` has changed since the request. */
const requireFieldsAsAsked = ({ stale }: ActionDefinition, before: object | null, record: unknown): void => {
  const fieldsOf = (of: unknown): object => (isObject(of) && isObject(of['fields']) ? of['fields'] : {});
  const [asked, now] = [new Map(Object.entries(fieldsOf(before))), new Map(Object.entries(fieldsOf(record)))];
  const changed = stale.find((field) => !isDeepStrictEqual(asked.get(field), now.get(field)));
  if (before !== null && isObject(record) && changed !== undefined)
    throw staleFault(`record.fields.${changed}`, `the record’s ${changed} has changed since the request`);
};

/** Authorizes the run again, with the input that was shown. Throws `stale` when the run has changed, `app_offline` when the action isn't queued. */
export const prepareRunApproval: PrepareEffect<'action'> = async ({
  deps,
  approval,
  requester,
  decidedBy,
  digest = '',
}) => {
  const { before } = approval;
  const run = approval.run === null ? undefined : await readRun(deps.db, approval.env, approval.run);
  const { endedAs } = approval.request;
  const input = { ...approval.request.input };
  const waits =
    run !== undefined && (endedAs === undefined ? run.status === 'pending' : run.fence === endedAs && isRetryable(run));
  if (run === undefined || !waits) throw staleFault('run', 'its run has changed since the request');
  const { action, record } = await reauthorizeAction(deps, requester, { ...run, input, approved_by: decidedBy });
  const online = await deps.link.online(approval.env, action.declaration);
  if (!online && action.offline === 'refuse')
    throw fault(
      'app_offline',
      `The app is offline, and ${action.label} is not queued; approve it once the app is back.`,
    );
  const { resource, record: id } = approval.request;
  const isServed = requester.env.definition.resources.get(resource ?? '')?.source === 'app';
  const approved = isServed
    ? (servedRecordOf(digest) ?? (before === null ? undefined : hashRecord(before)))
    : undefined;
  return async (tx) => {
    const at = deps.clock.now();
    const isRead = isServed || resource === null || id === null || action.stale.length === 0;
    const [now] = isRead ? [record] : await findRecords(tx, approval.env, [{ resource, id }], true);
    requireFieldsAsAsked(action, before, now);
    const { item, news } = approval.request;
    if (item !== null && news !== undefined) {
      await readItems(tx, approval.env, [item], true);
      await requireNoNews(tx, approval, item, news);
    }
    const begun = endedAs === undefined ? run : { ...resetForRetry(run, requester, at), approval: approval.id };
    const next: Run = {
      ...begun,
      input,
      status: 'running',
      approved_by: { ...decidedBy, at, ...(approved === undefined ? {} : { record: approved }) },
      fence: run.fence + 1,
      timeout_ms: action.timeout,
      repeatable: action.repeatable,
      background: action.background,
    };
    const due: JobDue = online ? at : 'app';
    const moved = await transitionRun(tx, run, online ? next : toQueuedRun(next, action, at), at, {
      verb: 'action.begin',
      outcome: 'ok',
      emit: true,
      due,
    });
    if (!moved) throw staleFault('run', 'its run has just been changed');
    return { ...emptyEffects, run: run.id };
  };
};

const prepareCreation = ({ deps, approval, requester }: ApprovalContext<'item'>): ApprovalEffect => {
  const { type: _, ...members } = approval.request.operation;
  const input = parseCreateInput(members);
  requireMayCreate(requester, input);
  return async (tx) => {
    const { item, isNew } = await createItemTx(deps, tx, requester, input);
    if (isNew ? approval.item !== null : item.id !== approval.item)
      throw staleFault('key', 'another item has its key than at the request');
    return { ...emptyEffects, item: presentItem(item, fullAccess) };
  };
};

/** Throws `stale` when another principal than the requester has replied on the item, or changed its state, since the request. */
const requireNoNews = async (tx: Tx, { env, actor }: Approval, item: string, news?: number | null): Promise<void> => {
  if (news !== undefined && (await readNews(tx, env, item, actor)) !== news)
    throw staleFault('item', 'somebody else has replied, or changed the item’s state, since the request');
};

/** Throws `stale` when another agent than the requester has claimed the item since the request, whose item is `before`. */
const requireNoClaim = ({ actor, before }: Approval, { claim }: Item, at: number): void => {
  const former = isObject(before) && isObject(before['claim']) ? before['claim']['by'] : null;
  const holder = claim !== null && claim.until > at && claim.by.type === 'agent' ? claim.by : null;
  if (holder === null || holder.id === actor || (isObject(former) && former['id'] === holder.id)) return;
  throw staleFault('item.claim', `${holder.name} has claimed the item since the request`);
};

/** Returns the first of the members that differs from `before`, or undefined. */
const changedMember = (before: object | null, item: Item, members: readonly (keyof Item)[]): string | undefined =>
  members.find(
    (member) =>
      isObject(before) &&
      Object.hasOwn(before, member) &&
      JSON.stringify(before[member]) !== JSON.stringify(item[member]),
  );

/**
 * Returns whether a reply would go to somebody else than at the request, whose item is `before`: occurrences may change the fields of
 * an item. Which of them an app goes by is not known, so that each counts.
 */
const goesElsewhere = ({ approval, requester }: ApprovalContext<'item'>, item: Item): boolean => {
  const { before } = approval;
  const reply = requester.env.definition.inboxes.get(item.inbox)?.reply ?? null;
  if (reply === null || !isObject(before) || !Object.hasOwn(before, 'fields')) return false;
  const fields = JSON.stringify(before['fields']);
  if (reply.via === 'app') return !isDeepStrictEqual(before['fields'], JSON.parse(item.fields));
  return resolveCustomerAddress(reply.to, { id: item.id, fields }) !== resolveCustomerAddress(reply.to, item);
};

/** Performs the operation, or creates the item. Throws `stale` when a member that the operation changes has changed since the request. */
export const prepareItemApproval: PrepareEffect<'item'> = async (approving) => {
  const { deps, approval } = approving;
  const requester = {
    ...approving.requester,
    principal: withoutSupervision(approving.requester.principal),
    approvedBy: approving.decidedBy,
  };
  const {
    target,
    operation: { type, ...members },
  } = approval.request;
  if (type === 'create' || target === null) return prepareCreation({ ...approving, requester });
  const known = supervisedOperations.get(type);
  if (known === undefined) throw staleFault('operation', `there is no operation ${type}`);
  const undo = 'undo' in members && typeof members.undo === 'string' ? members.undo : null;
  const operation =
    undo === null
      ? known.bind(members, deps.clock.now())
      : bindInput(await findUndo(deps, requester, target, undo), {});
  return async (tx) => {
    const item = (await readItems(tx, approval.env, [target], true)).get(target);
    const changed = item === undefined ? undefined : changedMember(approval.before, item, known.members(members));
    if (changed !== undefined)
      throw staleFault(`item.${changed}`, `the item’s ${changed} has changed since the request`);
    if (item !== undefined && type === 'reply' && goesElsewhere(approving, item))
      throw staleFault('item.fields', 'the reply would go to somebody else than at the request');
    await requireNoNews(tx, approval, target, approval.request.news);
    const isJudged = type === 'reply' || type === 'state' || (type === 'update' && 'state' in members);
    if (item !== undefined && isJudged) requireNoClaim(approval, item, deps.clock.now());
    const outcome = await performOperationTx(deps, tx, requester, operation, target, null);
    if (outcome.kind === 'fault') throw outcome.fault;
    return { ...emptyEffects, item: presentItem(outcome.item, fullAccess) };
  };
};
