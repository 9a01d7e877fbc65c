/** Decisions on approvals: exactly one of any number holds, and the effect commits with it or not at all. */
import { Fault, fault } from '../catalogue/errors.ts';
import { byOf, type Caller } from '../access/principal.ts';
import { requesterNow } from '../settings/requester.ts';
import { settle } from '../actions/settle.ts';
import { readRun } from '../actions/model.ts';
import { cancelPending } from '../bulk/cancel.ts';
import { isObject } from '../platform/core/guard.ts';
import type { Tx } from '../platform/db/knex.ts';
import type { ViewDeps } from '../views/deps.ts';
import { keepAnswer } from '../platform/journal/answers.ts';
import type { SavedAnswer } from '../platform/journal/answers.ts';
import { channels } from '../platform/redis/bus.ts';
import { approveAction } from './effects/action.ts';
import { approveBulk } from './effects/bulk.ts';
import { approveFlag } from './effects/flag.ts';
import { approveItem } from './effects/item.ts';
import { stale, type Effect, type Effects, type Approving } from './effects/effect.ts';
import { endApproval, endingBy, type Ending } from '../approvals/end.ts';
import { readApproval, type Approval } from '../approvals/model.ts';
import { seenApproval, seenPart, withoutRecords } from '../views/approvals/present.ts';
import { isRequester, visibleApproval } from '../approvals/queries.ts';

type Save = (body: string) => SavedAnswer | null;

const decided = (caller: Caller, approval: Approval): Fault =>
  fault('already_decided', `This approval is ${approval.status}.`, { body: { approval: seenApproval(approval, caller.principal.access) } });

/** Only persons decide; asked before any id is looked up. */
export const requireDecider = ({ principal }: Caller): void => {
  if (principal.type !== 'person') throw fault('person_required');
  if (!principal.access.may('approvals', 'decide')) throw fault('forbidden', 'Your role may not decide approvals.');
};

/** The approval, if this caller may decide it: not one's own, in whatever session. Of what has run out the end is written first. */
const decidable = async (deps: ViewDeps, caller: Caller, id: string): Promise<Approval> => {
  requireDecider(caller);
  const approval = await visibleApproval(deps.db, caller, id);
  if (isRequester(caller, approval)) throw fault('forbidden', 'Nobody decides their own request.');
  if (approval.status === 'pending' && approval.expires_at <= deps.clock.now()) {
    await expireApproval(deps, approval);
    throw decided(caller, (await readApproval(deps.db, approval.env, approval.id)) ?? approval);
  }
  if (approval.status !== 'pending') throw decided(caller, approval);
  return approval;
};

/** Whoever asked, with the rights of now, and by this request. */
const requesterOf = async (deps: ViewDeps, caller: Caller, approval: Approval): Promise<Caller> => {
  await deps.directory.refresh();
  const requester = await requesterNow(deps, { ...approval, request_id: caller.requestId });
  if (requester === null) throw stale('requestedBy', 'whoever asked for it may not act here any more');
  return requester;
};

const prepare = (approving: Approving): Promise<Effect> => {
  switch (approving.approval.kind) {
    case 'action':
      return approveAction(approving as Approving<'action'>);
    case 'bulk':
      return approveBulk(approving as Approving<'bulk'>);
    case 'flag':
      return approveFlag(approving as Approving<'flag'>);
    case 'item':
      return approveItem(approving as Approving<'item'>);
  }
};

/** What can come right by itself leaves the approval pending; everything else that a check says makes it stale. */
const passing = new Set(['app_offline', 'app_timeout', 'app_error', 'unavailable']);

const asStale = (error: unknown): Fault | null => {
  if (!(error instanceof Fault) || passing.has(error.code) || error.code === 'already_decided') return null;
  return error.code === 'stale' ? error : fault('stale', `This approval no longer fits: ${error.message}`, { details: error.extra.details ?? [{ path: '', message: error.message }] });
};

/** What waited for an approval that is not given ends with it. */
const dropWaiting = async (deps: ViewDeps, approval: Approval, status: 'rejected' | 'expired' | 'cancelled' | 'failed', message: string): Promise<void> => {
  if (approval.run !== null) {
    const run = await readRun(deps.db, approval.env, approval.run);
    if (run?.status === 'pending') await settle(deps, run, { status, error: message, ...(status === 'failed' ? { code: 'stale' as const } : {}) });
  }
  if (approval.bulk !== null) await cancelPending(deps, approval.env, approval.bulk);
  deps.bus.publish(channels.nudge, 'outbox');
};

const decideStale = async (deps: ViewDeps, caller: Caller, approval: Approval, problem: Fault): Promise<void> => {
  const ended = await endApproval(deps.db, approval, endingBy(caller, 'stale', problem.message), deps.clock.now());
  if (ended !== null) await dropWaiting(deps, approval, 'failed', problem.message);
};

interface Decision {
  readonly approval: Approval;
  readonly effects: Effects;
}

/** The item that was asked for, once it is there. */
const madeBy = ({ kind, item }: Approval, effects: Effects): string | null =>
  kind === 'item' && item === null && isObject(effects.item) ? String(effects.item['id']) : null;

const commit = (deps: ViewDeps, caller: Caller, approval: Approval, { effect, ending, save }: { effect: Effect; ending: Ending; save: (decision: Decision) => SavedAnswer | null }): Promise<Decision> =>
  deps.db.transaction(async (tx: Tx) => {
    const locked = await readApproval(tx, approval.env, approval.id, true);
    if (locked === undefined || locked.status !== 'pending') throw decided(caller, locked ?? approval);
    const at = deps.clock.now();
    const effects = await effect(tx);
    const ended = await endApproval(tx, locked, { ...ending, made: madeBy(locked, effects) }, at);
    if (ended === null) throw decided(caller, locked);
    const decision = { approval: ended, effects };
    const saved = save(decision);
    if (saved !== null) await keepAnswer(tx, saved, at);
    return decision;
  });

/** As whoever decided sees it, who may not see every record of what was asked for. */
const bodyOf = ({ principal: { access } }: Caller, { approval, effects }: Decision): string =>
  JSON.stringify({ approval: seenApproval(approval, access), ...effects, flag: seenPart(access, effects.flag), item: withoutRecords(access, effects.item) });

/** Answers the body of the `200`. Everything is checked anew as it stands now; what doesn't fit is `409 stale`. */
export const approve = async (deps: ViewDeps, caller: Caller, id: string, { note, save }: { note: string | null; save: Save }): Promise<string> => {
  const approval = await decidable(deps, caller, id);
  try {
    const requester = await requesterOf(deps, caller, approval);
    const effect = await prepare({ deps, approval, requester, decidedBy: byOf(caller.principal) });
    const decision = await commit(deps, caller, approval, { effect, ending: endingBy(caller, 'approved', note), save: (made) => save(bodyOf(caller, made)) });
    deps.bus.publish(channels.nudge, 'jobs');
    deps.bus.publish(channels.nudge, 'outbox');
    return bodyOf(caller, decision);
  } catch (error) {
    const problem = asStale(error);
    if (problem === null) throw error;
    const now = await readApproval(deps.db, approval.env, approval.id);
    if (now !== undefined && now.status !== 'pending') throw decided(caller, now);
    await decideStale(deps, caller, approval, problem);
    throw problem;
  }
};

/** Ends an approval without its effect; answers the body of the `200`. */
const end = async (deps: ViewDeps, caller: Caller, approval: Approval, { status, note, save }: { status: 'rejected' | 'cancelled'; note: string | null; save: Save }): Promise<string> => {
  const at = deps.clock.now();
  const bodyText = (made: Approval): string => JSON.stringify({ approval: seenApproval(made, caller.principal.access) });
  const ended = await deps.db.transaction(async (tx) => {
    const made = await endApproval(tx, approval, endingBy(caller, status, note), at);
    const saved = made === null ? null : save(bodyText(made));
    if (saved !== null) await keepAnswer(tx, saved, at);
    return made;
  });
  if (ended === null) throw decided(caller, (await readApproval(deps.db, approval.env, approval.id)) ?? approval);
  const who = caller.principal.name;
  await dropWaiting(deps, approval, status, status === 'rejected' ? `Rejected by ${who}.` : `Cancelled by ${who}.`);
  return bodyText(ended);
};

export const reject = async (deps: ViewDeps, caller: Caller, id: string, { note, save }: { note: string | null; save: Save }): Promise<string> =>
  end(deps, caller, await decidable(deps, caller, id), { status: 'rejected', note, save });

/** By the requester alone; cancelling its own requests is nothing that a supervised agent has to ask for. */
export const cancel = async (deps: ViewDeps, caller: Caller, id: string, save: Save): Promise<string> => {
  const approval = await visibleApproval(deps.db, caller, id);
  if (!isRequester(caller, approval)) throw fault('forbidden', 'Only who asked for it may cancel it.');
  if (approval.status !== 'pending') throw decided(caller, approval);
  return end(deps, caller, approval, { status: 'cancelled', note: null, save });
};

/** Its time is up, whoever finds that out. */
export const expireApproval = async (deps: ViewDeps, approval: Approval): Promise<void> => {
  const ended = await endApproval(deps.db, approval, { status: 'expired', by: null, note: null }, deps.clock.now());
  if (ended !== null) await dropWaiting(deps, approval, 'expired', 'Nobody approved it in time.');
};

/** What it asks for can't be done any more, whatever anybody decides. */
export const dropApproval = async (deps: ViewDeps, approval: Approval, message: string): Promise<void> => {
  const ended = await endApproval(deps.db, approval, { status: 'stale', by: null, note: message }, deps.clock.now());
  if (ended !== null) await dropWaiting(deps, approval, 'failed', message);
};
