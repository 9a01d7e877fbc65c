/**
 * Approves, rejects and cancels approvals, for api/routes/approvals.ts. Of concurrent decisions exactly one is written; the
 * effect commits in the same transaction.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Caller, requirePerson, toActorRef } from '../accounts/access/principal.ts';
import { readPresentCaller, readRequester } from '../accounts/requester.ts';
import { requireIndependent } from '../accounts/settings/independence.ts';
import { changePending } from '../approvals/changePending.ts';
import { endApproval, endingByCaller, type ApprovalEnding } from '../approvals/endApproval.ts';
import { askedOf, readApproval, type Approval } from '../approvals/model.ts';
import { isApprovalRequester, readVisibleApproval } from '../approvals/queries.ts';
import { otherRoleMessage, ownRequestMessage, questionMessage, rolesAllow, votedMessage } from '../approvals/rights.ts';
import { Fault, fault } from '../catalogue/errors.ts';
import { readItems } from '../items/model.ts';
import { isCreateConflict } from '../items/perform/create.ts';
import type { Tx } from '../platform/db/knex.ts';
import { contendedFault, isContended, retryOnConflict } from '../platform/db/retryOnConflict.ts';
import { insertSavedResponse } from '../platform/journal/changeWriter.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import { findRecords } from '../records/queries.ts';
import type { FindRecords } from '../views/approvals/bulkItems.ts';
import { presentApprovals } from '../views/approvals/currentTargets.ts';
import { hasChanged } from '../views/approvals/digest.ts';
import {
  endedApprovalJson,
  redactFlagJson,
  redactRecords,
  type PresentedApproval,
} from '../views/approvals/present.ts';
import type { ViewDeps } from '../views/deps.ts';
import { editApproval, givenEdit, type Edit, type EditedApproval } from './edits.ts';
import {
  type ApprovalContext,
  type ApprovalEffect,
  type ApprovalEffects,
  emptyEffects,
  staleFault,
  prepareItemApproval,
  prepareRunApproval,
  prepareFlagApproval,
  prepareBulkApproval,
} from './effects.ts';
import { endWithoutEffect, expireApproval } from './endWithoutEffect.ts';
import { holdingVotes } from './votes.ts';

type SaveBody = (body: string) => SavedResponse | null;

export const alreadyDecidedFault = (caller: Caller, approval: Approval): Fault =>
  fault('already_decided', `This approval is ${approval.status}.`, {
    body: { approval: endedApprovalJson(caller.env.definition, approval, caller.principal.access) },
  });

/** Throws `person_required` or `forbidden` when the caller may not decide approvals; checked before any id is looked up. */
export const requireDecider = (caller: Caller): void => {
  requirePerson(caller);
  if (!caller.principal.access.may('approvals', 'decide'))
    throw fault('forbidden', 'Your role may not decide approvals.');
};

/** Throws `already_decided` for an approval that is not pending. Expires one whose time is up first. */
export const requirePending = async (deps: ViewDeps, caller: Caller, approval: Approval): Promise<void> => {
  if (approval.status === 'pending' && approval.expires_at <= deps.clock.now()) {
    await expireApproval(deps, approval);
    throw alreadyDecidedFault(caller, (await readApproval(deps.db, approval.env, approval.id)) ?? approval);
  }
  if (approval.status !== 'pending') throw alreadyDecidedFault(caller, approval);
};

/**
 * Returns a pending approval that this caller may decide. Throws `forbidden` for the caller's own request, whichever
 * session made it, and for that of an agent in the caller's hands under independent approval; otherwise as `requirePending`.
 */
const readDecidableApproval = async (deps: ViewDeps, caller: Caller, id: string): Promise<Approval> => {
  requireDecider(caller);
  const approval = await readVisibleApproval(deps.db, caller, id);
  if (approval.kind === 'question') throw fault('conflict', questionMessage);
  if (isApprovalRequester(caller, approval)) throw fault('forbidden', ownRequestMessage);
  const { roles } = approval;
  if (roles !== null && !rolesAllow(roles, caller.principal.role?.name ?? null))
    throw fault('forbidden', otherRoleMessage(roles));
  await requireIndependent(deps.db, approval.id, caller.principal.id ?? '', deps.clock.now());
  await requirePending(deps, caller, approval);
  return approval;
};

/** Returns the caller with present rights. Throws `forbidden` when they may not act in this environment any more. */
const readPresentDecider = async (deps: ViewDeps, caller: Caller): Promise<Caller> => {
  await deps.directory.refresh();
  const present = await readPresentCaller(deps, caller);
  if (present === null) throw fault('forbidden');
  return present;
};

/** Returns the requester with present rights, as a caller by the id of the deciding request. Throws `stale` when the requester is revoked. */
const readCurrentRequester = async (deps: ViewDeps, caller: Caller, approval: Approval): Promise<Caller> => {
  await deps.directory.refresh();
  const requester = await readRequester(deps, { ...approval, request_id: caller.requestId });
  if (requester === null) throw staleFault('requestedBy', 'the requester may not act in this environment any more');
  return requester;
};

const prepareEffect = ({ approval, ...context }: ApprovalContext): Promise<ApprovalEffect> => {
  switch (approval.kind) {
    case 'action':
      return prepareRunApproval({ ...context, approval });
    case 'bulk':
      return prepareBulkApproval({ ...context, approval });
    case 'flag':
      return prepareFlagApproval({ ...context, approval });
    case 'item':
      return prepareItemApproval({ ...context, approval });
    case 'question':
      throw fault('conflict', questionMessage);
  }
};

/** Faults that may pass without a change leave the approval pending; every other fault of a check makes it stale. */
const transientCodes = new Set([
  'app_offline',
  'app_timeout',
  'app_error',
  'unavailable',
  'already_decided',
  'changed_since_seen',
]);

const toStaleFault = (error: unknown): Fault | null => {
  if (!(error instanceof Fault) || isContended(error)) return null;
  if (transientCodes.has(error.code)) return null;
  return error.code === 'stale'
    ? error
    : fault('stale', `This approval no longer fits: ${error.message}`, {
        // The details of `not_found` list names that the requester sees, and the decider may not.
        details: (error.code === 'not_found' ? undefined : error.extra.details) ?? [
          { path: '', message: error.message },
        ],
      });
};

/** Runs a step of an approval. Ends the approval as stale, and throws that, for a fault that stands for good; `already_decided` when another decision was written first. */
const orEndAsStale = async <T>(
  deps: ViewDeps,
  caller: Caller,
  approval: Approval,
  step: () => Promise<T>,
  isEdited: boolean,
): Promise<T> => {
  try {
    return await step();
  } catch (error) {
    const problem = toStaleFault(error);
    // A fault in the edit does not make the request stale.
    if (problem === null || (isEdited && problem !== error)) throw error;
    const { message } = problem;
    const ending = endingByCaller(caller, 'stale', message);
    if ((await endWithoutEffect(deps, approval, ending, { status: 'failed', message })) === null)
      throw alreadyDecidedFault(caller, (await readApproval(deps.db, approval.env, approval.id)) ?? approval);
    throw problem;
  }
};

interface Decision {
  readonly approval: Approval;
  readonly effects: ApprovalEffects;
  /** The approval as its decider reads it where it waits for further votes; null: it has ended. */
  readonly voted: PresentedApproval | null;
}

/** Returns the id of the item that the effect created, or null. */
const createdItemId = ({ kind, item }: Approval, effects: ApprovalEffects): string | null =>
  kind === 'item' && item === null && isObject(effects.item) ? String(effects.item['id']) : null;

interface DecisionCommit {
  readonly effect: ApprovalEffect;
  /** The request as the decider has edited it; null: as it was read. */
  readonly edited: EditedApproval | null;
  /** What stands for what the decider saw; undefined: the decider does not say. */
  readonly digest: string | undefined;
  readonly ending: ApprovalEnding;
  readonly save: (decision: Decision) => SavedResponse | null;
}

/** Reads the stored records of an approval, and none of the app. `lock`: nobody changes them before the transaction ends. */
const findStoredRecords =
  (lock: boolean): FindRecords =>
  ({ db }, { id, definition: { resources } }, refs) => {
    const stored = refs.filter(({ resource }) => resources.get(resource)?.source === 'stored');
    return findRecords(db, id, stored, lock);
  };

/** Returns the approval as the decider would see it now. Its record or item does not change before the transaction ends. */
const presentNow = async (deps: ViewDeps, caller: Caller, approval: Approval): Promise<PresentedApproval> => {
  const { kind, env, request } = approval;
  if (kind === 'item' && request.target !== null) await readItems(deps.db, env, [request.target], true);
  const [now] = await presentApprovals(deps, caller, [approval], findStoredRecords(kind === 'action'));
  if (now === undefined) throw fault('not_found');
  return now;
};

const changedFault = (approval: PresentedApproval): Fault =>
  fault('changed_since_seen', undefined, { body: { approval } });

/** Writes the vote of the decider on an approval that needs further ones. The edit clears earlier votes. */
const writeVote = async (
  deps: ViewDeps & { readonly db: Tx },
  caller: Caller,
  voting: Approval,
  { ending: { note }, at }: { readonly ending: ApprovalEnding; readonly at: number },
): Promise<Decision> => {
  const present = (reader: Caller, approval: Approval): Promise<PresentedApproval> =>
    presentNow(deps, reader, approval);
  const { digest } = await present(caller, voting);
  const vote = { by: toActorRef(caller.principal), at, note, digest: String(digest) };
  const approval = { ...voting, votes: [...(voting.votes ?? []), vote] };
  const after = {
    votes: approval.votes.length,
    needed: approval.needed,
    edited: approval.asked === null ? undefined : true,
  };
  await changePending(deps.db, caller, approval, { verb: 'approval.vote', after, at });
  return { approval, effects: emptyEffects, voted: await present(caller, approval) };
};

/**
 * Writes the effect and the end of the approval, or the decider's vote where it needs more of them. Throws `changed_since_seen`, unless
 * the change makes the approval stale, and `already_decided` for a second vote.
 */
const tryCommitDecision = (
  deps: ViewDeps,
  caller: Caller,
  approval: Approval,
  { effect, edited, digest, ending, save }: DecisionCommit,
): Promise<Decision> =>
  deps.db.transaction(async (tx: Tx) => {
    const locked = await readApproval(tx, approval.env, approval.id, true);
    if (locked === undefined || locked.status !== 'pending') throw alreadyDecidedFault(caller, locked ?? approval);
    const at = deps.clock.now();
    const inside = { ...deps, db: tx };
    const now = await presentNow(inside, caller, locked);
    // Somebody has edited it since it was read: the effect that was prepared is another.
    if (!isDeepStrictEqual(locked.request, approval.request)) throw changedFault(now);
    if (edited === null && locked.votes?.some(({ by }) => by.id === caller.principal.id) === true)
      throw fault('already_decided', votedMessage, { body: { approval: now } });
    const wanted: Approval =
      edited === null
        ? locked
        : {
            ...edited.approval,
            asked: locked.asked ?? askedOf(locked),
            votes: null,
            needed: edited.needsMore ? Math.max(locked.needed, 2) : locked.needed,
          };
    const isLast = (votes: Approval['votes']): boolean => (votes?.length ?? 0) + 1 >= wanted.needed;
    const votes = isLast(wanted.votes)
      ? await holdingVotes(inside, wanted, (voter) => presentNow(inside, voter, wanted))
      : (wanted.votes ?? []);
    const decision = async (): Promise<Decision> => {
      const effects = await effect(tx);
      if (hasChanged(caller, locked, now, digest)) throw changedFault(now);
      const all =
        wanted.needed === 1
          ? wanted.votes
          : [...votes, { by: toActorRef(caller.principal), at, note: ending.note, digest: '' }];
      const ended = await endApproval(
        tx,
        wanted,
        { ...ending, votes: all, createdItem: createdItemId(locked, effects) },
        at,
      );
      if (ended === null) throw alreadyDecidedFault(caller, locked);
      return { approval: ended, effects, voted: null };
    };
    if (!isLast(votes) && hasChanged(caller, locked, now, digest)) throw changedFault(now);
    const made = isLast(votes)
      ? await decision()
      : await writeVote(inside, caller, { ...wanted, votes }, { ending, at });
    const saved = save(made);
    if (saved !== null) await insertSavedResponse(tx, saved, at);
    return made;
  });

/** Transactions of one decision: each of them meets another that makes an item with the key, or a deadlock. */
const roundsMax = 20;

const commitDecision = (
  deps: ViewDeps,
  caller: Caller,
  approval: Approval,
  committed: DecisionCommit,
): Promise<Decision> =>
  retryOnConflict(() => tryCommitDecision(deps, caller, approval, committed), {
    limit: roundsMax,
    isConflict: isCreateConflict,
    exhausted: () => contendedFault('approval'),
  });

/** Returns the body of the response, redacted for the person who decided. */
const decisionBody = ({ env, principal: { access } }: Caller, { approval, effects, voted }: Decision): string =>
  JSON.stringify({
    approval: voted ?? endedApprovalJson(env.definition, approval, access),
    ...effects,
    flag: redactFlagJson(access, effects.flag),
    bulk: isObject(effects.bulk)
      ? { ...effects.bulk, operation: redactRecords(access, effects.bulk['operation']) }
      : null,
    item: redactRecords(access, effects.item),
  });

interface ApproveGiven {
  readonly note: string | null;
  readonly digest: string | undefined;
  /** The values that replace those of the request. */
  readonly edit?: Edit;
  readonly save: SaveBody;
}

/**
 * Approves a request: checks it against present data and rights, writes the effect, and returns the body of the `200`.
 * Throws `stale` when a check fails for good, which ends the approval too, and `changed_since_seen`, which does not.
 */
export const approveRequest = async (
  deps: ViewDeps,
  caller: Caller,
  id: string,
  { note, digest, edit = {}, save }: ApproveGiven,
): Promise<string> => {
  const approval = await readDecidableApproval(deps, caller, id);
  const given = givenEdit(approval, edit);
  const edited = given === undefined ? null : await editApproval(deps, caller, approval, given);
  const wanted = edited?.approval ?? approval;
  const prepare = async (): Promise<ApprovalEffect> => {
    const requester = await readCurrentRequester(deps, caller, approval);
    return prepareEffect({ deps, approval: wanted, requester, decidedBy: toActorRef(caller.principal), digest });
  };
  const isEdited = edited !== null;
  const effect = await orEndAsStale(deps, caller, approval, prepare, isEdited);
  // To read a record of the app takes up to ten seconds, in which who decides may have lost the right, and the approval its time.
  await readDecidableApproval(deps, await readPresentDecider(deps, caller), id);
  const decision = await orEndAsStale(
    deps,
    caller,
    approval,
    () =>
      commitDecision(deps, caller, approval, {
        effect,
        edited,
        digest,
        ending: endingByCaller(caller, 'approved', note),
        save: (made) => save(decisionBody(caller, made)),
      }),
    isEdited,
  );
  deps.bus.publish(channels.workAvailable, 'jobs');
  deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
  return decisionBody(caller, decision);
};

/** Ends an approval by its decider or its requester, without its effect, and returns the body of the `200`. */
const endByCaller = async (
  deps: ViewDeps,
  caller: Caller,
  approval: Approval,
  { status, note, save }: { status: 'rejected' | 'cancelled'; note: string | null; save: SaveBody },
): Promise<string> => {
  const bodyText = (made: Approval): string =>
    JSON.stringify({ approval: endedApprovalJson(caller.env.definition, made, caller.principal.access) });
  const how = `${status === 'rejected' ? 'Rejected' : 'Cancelled'} by ${caller.principal.name}`;
  const message = note === null ? `${how}.` : `${how}: ${note}`;
  const ending = endingByCaller(caller, status, note);
  const ended = await endWithoutEffect(deps, approval, ending, { status, message }, (made) => save(bodyText(made)));
  if (ended === null)
    throw alreadyDecidedFault(caller, (await readApproval(deps.db, approval.env, approval.id)) ?? approval);
  return bodyText(ended);
};

/** Rejects a request and returns the body of the `200`. */
export const rejectRequest = async (
  deps: ViewDeps,
  caller: Caller,
  id: string,
  { note, save }: { note: string | null; save: SaveBody },
): Promise<string> =>
  endByCaller(deps, caller, await readDecidableApproval(deps, caller, id), { status: 'rejected', note, save });

/** Cancels the caller's own request and returns the body of the `200`. A supervised agent needs no approval for that. */
export const cancelRequest = async (deps: ViewDeps, caller: Caller, id: string, save: SaveBody): Promise<string> => {
  const approval = await readVisibleApproval(deps.db, caller, id);
  if (!isApprovalRequester(caller, approval))
    throw fault('forbidden', 'Only the requester may cancel a request; a person who may decide it can reject it.');
  await requirePending(deps, caller, approval);
  return endByCaller(deps, caller, approval, { status: 'cancelled', note: null, save });
};
