/** Decisions on approvals: exactly one of any number holds, and the effect commits with it or not at all. */
import { Fault, fault } from '../catalogue/errors.ts';
import { toActorRef, type Caller } from '../access/principal.ts';
import { readRequester } from '../settings/requester.ts';
import { settleRun } from '../actions/settleRun.ts';
import { readRun } from '../actions/model.ts';
import { cancelUnapprovedBulk } from '../bulk/cancelBulk.ts';
import { isObject } from '../platform/core/jsonLimits.ts';
import type { Tx } from '../platform/db/knex.ts';
import type { ViewDeps } from '../views/deps.ts';
import { insertSavedResponse } from '../platform/journal/idempotency.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { channels } from '../platform/redis/bus.ts';
import { prepareRunApproval } from './effects/action.ts';
import { prepareBulkApproval } from './effects/bulk.ts';
import { prepareFlagApproval } from './effects/flag.ts';
import { prepareItemApproval } from './effects/item.ts';
import { staleFault, type ApprovalEffect, type ApprovalEffects, type ApprovalContext } from './effects/effect.ts';
import { endApproval, endingByCaller, type ApprovalEnding } from '../approvals/endApproval.ts';
import { readApproval, type Approval } from '../approvals/model.ts';
import { redactedApprovalJson, redactFlagJson, redactRecords } from '../views/approvals/present.ts';
import { isApprovalRequester, readVisibleApproval } from '../approvals/queries.ts';

type SaveBody = (body: string) => SavedResponse | null;

const alreadyDecidedFault = (caller: Caller, approval: Approval): Fault =>
  fault('already_decided', `This approval is ${approval.status}.`, {
    body: { approval: redactedApprovalJson(approval, caller.principal.access) },
  });

/** Only persons decide; asked before any id is looked up. */
export const requireDecider = ({ principal }: Caller): void => {
  if (principal.type !== 'person') throw fault('person_required');
  if (!principal.access.may('approvals', 'decide')) throw fault('forbidden', 'Your role may not decide approvals.');
};

/** The approval, if this caller may decide it: not one's own, in whatever session. Of what has run out the end is written first. */
const readDecidableApproval = async (deps: ViewDeps, caller: Caller, id: string): Promise<Approval> => {
  requireDecider(caller);
  const approval = await readVisibleApproval(deps.db, caller, id);
  if (isApprovalRequester(caller, approval)) throw fault('forbidden', 'Nobody decides their own request.');
  if (approval.status === 'pending' && approval.expires_at <= deps.clock.now()) {
    await expireApproval(deps, approval);
    throw alreadyDecidedFault(caller, (await readApproval(deps.db, approval.env, approval.id)) ?? approval);
  }
  if (approval.status !== 'pending') throw alreadyDecidedFault(caller, approval);
  return approval;
};

/** Whoever asked, with the rights of now, and by this request. */
const readCurrentRequester = async (deps: ViewDeps, caller: Caller, approval: Approval): Promise<Caller> => {
  await deps.directory.refresh();
  const requester = await readRequester(deps, { ...approval, request_id: caller.requestId });
  if (requester === null) throw staleFault('requestedBy', 'whoever asked for it may not act here any more');
  return requester;
};

const prepareEffect = (approving: ApprovalContext): Promise<ApprovalEffect> => {
  switch (approving.approval.kind) {
    case 'action':
      return prepareRunApproval(approving as ApprovalContext<'action'>);
    case 'bulk':
      return prepareBulkApproval(approving as ApprovalContext<'bulk'>);
    case 'flag':
      return prepareFlagApproval(approving as ApprovalContext<'flag'>);
    case 'item':
      return prepareItemApproval(approving as ApprovalContext<'item'>);
  }
};

/** What can come right by itself leaves the approval pending; everything else that a check says makes it stale. */
const transientCodes = new Set(['app_offline', 'app_timeout', 'app_error', 'unavailable']);

const toStaleFault = (error: unknown): Fault | null => {
  if (!(error instanceof Fault) || transientCodes.has(error.code) || error.code === 'already_decided') return null;
  return error.code === 'stale'
    ? error
    : fault('stale', `This approval no longer fits: ${error.message}`, {
        details: error.extra.details ?? [{ path: '', message: error.message }],
      });
};

/** What waited for an approval that is not given ends with it. */
const endWaitingTarget = async (
  deps: ViewDeps,
  approval: Approval,
  status: 'rejected' | 'expired' | 'cancelled' | 'failed',
  message: string,
): Promise<void> => {
  if (approval.run !== null) {
    const run = await readRun(deps.db, approval.env, approval.run);
    if (run?.status === 'pending')
      await settleRun(deps, run, {
        status,
        error: message,
        ...(status === 'failed' ? { code: 'stale' as const } : {}),
      });
  }
  if (approval.bulk !== null) await cancelUnapprovedBulk(deps, approval.env, approval.bulk);
  deps.bus.publish(channels.workAvailable, 'outbox');
};

const endAsStale = async (deps: ViewDeps, caller: Caller, approval: Approval, problem: Fault): Promise<void> => {
  const ended = await endApproval(
    deps.db,
    approval,
    endingByCaller(caller, 'stale', problem.message),
    deps.clock.now(),
  );
  if (ended !== null) await endWaitingTarget(deps, approval, 'failed', problem.message);
};

interface Decision {
  readonly approval: Approval;
  readonly effects: ApprovalEffects;
}

/** The item that was asked for, once it is there. */
const createdItemId = ({ kind, item }: Approval, effects: ApprovalEffects): string | null =>
  kind === 'item' && item === null && isObject(effects.item) ? String(effects.item['id']) : null;

const commitDecision = (
  deps: ViewDeps,
  caller: Caller,
  approval: Approval,
  {
    effect,
    ending,
    save,
  }: { effect: ApprovalEffect; ending: ApprovalEnding; save: (decision: Decision) => SavedResponse | null },
): Promise<Decision> =>
  deps.db.transaction(async (tx: Tx) => {
    const locked = await readApproval(tx, approval.env, approval.id, true);
    if (locked === undefined || locked.status !== 'pending') throw alreadyDecidedFault(caller, locked ?? approval);
    const at = deps.clock.now();
    const effects = await effect(tx);
    const ended = await endApproval(tx, locked, { ...ending, createdItem: createdItemId(locked, effects) }, at);
    if (ended === null) throw alreadyDecidedFault(caller, locked);
    const decision = { approval: ended, effects };
    const saved = save(decision);
    if (saved !== null) await insertSavedResponse(tx, saved, at);
    return decision;
  });

/** As whoever decided sees it, who may not see every record of what was asked for. */
const decisionBody = ({ principal: { access } }: Caller, { approval, effects }: Decision): string =>
  JSON.stringify({
    approval: redactedApprovalJson(approval, access),
    ...effects,
    flag: redactFlagJson(access, effects.flag),
    item: redactRecords(access, effects.item),
  });

/** Answers the body of the `200`. Everything is checked anew as it stands now; what doesn't fit is `409 stale`. */
export const approveRequest = async (
  deps: ViewDeps,
  caller: Caller,
  id: string,
  { note, save }: { note: string | null; save: SaveBody },
): Promise<string> => {
  const approval = await readDecidableApproval(deps, caller, id);
  try {
    const requester = await readCurrentRequester(deps, caller, approval);
    const effect = await prepareEffect({ deps, approval, requester, decidedBy: toActorRef(caller.principal) });
    const decision = await commitDecision(deps, caller, approval, {
      effect,
      ending: endingByCaller(caller, 'approved', note),
      save: (made) => save(decisionBody(caller, made)),
    });
    deps.bus.publish(channels.workAvailable, 'jobs');
    deps.bus.publish(channels.workAvailable, 'outbox');
    return decisionBody(caller, decision);
  } catch (error) {
    const problem = toStaleFault(error);
    if (problem === null) throw error;
    const now = await readApproval(deps.db, approval.env, approval.id);
    if (now !== undefined && now.status !== 'pending') throw alreadyDecidedFault(caller, now);
    await endAsStale(deps, caller, approval, problem);
    throw problem;
  }
};

/** Ends an approval without its effect; answers the body of the `200`. */
const endWithoutEffect = async (
  deps: ViewDeps,
  caller: Caller,
  approval: Approval,
  { status, note, save }: { status: 'rejected' | 'cancelled'; note: string | null; save: SaveBody },
): Promise<string> => {
  const at = deps.clock.now();
  const bodyText = (made: Approval): string =>
    JSON.stringify({ approval: redactedApprovalJson(made, caller.principal.access) });
  const ended = await deps.db.transaction(async (tx) => {
    const made = await endApproval(tx, approval, endingByCaller(caller, status, note), at);
    const saved = made === null ? null : save(bodyText(made));
    if (saved !== null) await insertSavedResponse(tx, saved, at);
    return made;
  });
  if (ended === null)
    throw alreadyDecidedFault(caller, (await readApproval(deps.db, approval.env, approval.id)) ?? approval);
  const who = caller.principal.name;
  await endWaitingTarget(
    deps,
    approval,
    status,
    status === 'rejected' ? `Rejected by ${who}.` : `Cancelled by ${who}.`,
  );
  return bodyText(ended);
};

export const rejectRequest = async (
  deps: ViewDeps,
  caller: Caller,
  id: string,
  { note, save }: { note: string | null; save: SaveBody },
): Promise<string> =>
  endWithoutEffect(deps, caller, await readDecidableApproval(deps, caller, id), { status: 'rejected', note, save });

/** By the requester alone; cancelling its own requests is nothing that a supervised agent has to ask for. */
export const cancelRequest = async (deps: ViewDeps, caller: Caller, id: string, save: SaveBody): Promise<string> => {
  const approval = await readVisibleApproval(deps.db, caller, id);
  if (!isApprovalRequester(caller, approval)) throw fault('forbidden', 'Only who asked for it may cancel it.');
  if (approval.status !== 'pending') throw alreadyDecidedFault(caller, approval);
  return endWithoutEffect(deps, caller, approval, { status: 'cancelled', note: null, save });
};

/** Its time is up, whoever finds that out. */
export const expireApproval = async (deps: ViewDeps, approval: Approval): Promise<void> => {
  const ended = await endApproval(deps.db, approval, { status: 'expired', by: null, note: null }, deps.clock.now());
  if (ended !== null) await endWaitingTarget(deps, approval, 'expired', 'Nobody approved it in time.');
};

/** What it asks for can't be done any more, whatever anybody decides. */
export const invalidateApproval = async (deps: ViewDeps, approval: Approval, message: string): Promise<void> => {
  const ended = await endApproval(deps.db, approval, { status: 'stale', by: null, note: message }, deps.clock.now());
  if (ended !== null) await endWaitingTarget(deps, approval, 'failed', message);
};
