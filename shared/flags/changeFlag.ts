/**
 * Changes a flag: checks rights, asks for an approval where one is needed, and writes the change, which is decided without
 * a lock and written where nothing has changed since. Called by `POST /flags/:flag` and, for changes that were approved,
 * by shared/decisions.
 */
import {
  type Caller,
  unknownName,
  principalModeFault,
  reasonFault,
  toActorRef,
  withoutSupervision,
} from '../accounts/access/principal.ts';
import type { ManifestFlag } from '../app/manifest/manifest.ts';
import { approvalNeeds } from '../app/manifest/manifestParts.ts';
import { replacedRamp } from '../approvals/model.ts';
import { requestApproval } from '../approvals/requestApproval.ts';
import { fault, type Fault } from '../catalogue/errors.ts';
import type { ActorRef } from '../catalogue/events.ts';
import { limits } from '../catalogue/limits.ts';
import { isSerializationFailure } from '../platform/db/errors.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { contendedFault, retryOnConflict } from '../platform/db/retryOnConflict.ts';
import { newId } from '../platform/ids.ts';
import { insertSavedResponse } from '../platform/journal/changeWriter.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { channels } from '../platform/redis/bus.ts';
import { decideFlag, type FlagChange } from './decideFlag.ts';
import type { FlagDeps } from './flagCache.ts';
import { flagChangeProblems, requireTargetLimits, type CheckedBody } from './flagChangeProblems.ts';
import {
  flagChangeSummary,
  flagEtag,
  flagView,
  readFlagRow,
  redactFlag,
  resolveFlag,
  type FlagView,
  type ResolvedFlag,
} from './model.ts';
import { isRampRunning } from './ramp.ts';
import { writeFlagChange, type FlagChangeOrigin } from './write.ts';

interface FlagChangeResult {
  readonly flag: FlagView;
  readonly changed: boolean;
  /** The running ramp that the change replaces by another, as the caller sees it. */
  readonly replaced: unknown;
}

interface FlagChangeOptions {
  /** The flag's number of changes (`ResolvedFlag.changes`) at the request; another number now is `409 stale`. */
  readonly expectedChanges?: number;
  readonly approvedBy?: ActorRef;
  readonly ifMatch?: number | undefined;
  /** Whether a running ramp may be replaced by another, or ended by a value or a rollout. */
  readonly replaces?: boolean;
  readonly save?: (applied: FlagChangeResult) => SavedResponse | null;
}

/** Returns the declaration of a flag that the caller sees. Throws `not_found` when it is hidden or not declared now. */
export const requireVisibleFlag = (
  { env, principal }: Pick<Caller, 'env' | 'principal'>,
  key: string,
): ManifestFlag => {
  const declared = env.definition.flags.get(key);
  if (declared === undefined || !principal.access.sees('flag', key)) {
    const known = [...env.definition.flags.keys()].filter((one) => principal.access.sees('flag', one));
    throw unknownName('flag', key, known);
  }
  return declared;
};

/** Throws `forbidden` when the caller may not change the flag. A supervised agent passes: its change needs an approval. */
export const requireMayChangeFlag = ({ principal }: Caller, key: string): void => {
  const problem = principalModeFault(withoutSupervision(principal));
  if (problem !== null) throw problem;
  if (!principal.access.can('flag', key, 'change'))
    throw fault('forbidden', `Your role does not allow change of the flag ${key}.`);
};

/** Rounds before `409 conflict`. */
const roundsMax = 20;

const versionConflict = (flag: ResolvedFlag, { access }: Caller['principal'], at: number): Fault =>
  fault('version_conflict', undefined, {
    body: { current: redactFlag(flagView(flag, at), access) },
    headers: { etag: flagEtag(flag.version) },
  });

const staleFlagFault = (path: string, message: string): Fault =>
  fault('stale', undefined, { details: [{ path, message }] });

interface FlagChangeContext {
  readonly deps: FlagDeps;
  readonly caller: Caller;
  readonly declared: ManifestFlag;
  readonly change: FlagChange;
  readonly options: FlagChangeOptions;
}

/** Throws `conflict` for a change that would replace or end a running ramp where that was not asked for. */
const requireReplaces = (before: ResolvedFlag, change: FlagChange, replaces = true): void => {
  if (replaces || !isRampRunning(before.ramp) || change.ramp === null) return;
  const { ramp } = before;
  const running = `A ramp to ${String(ramp.to)} % is running on ${before.declared.key}`;
  const refuse = (message: string, what: string): Fault =>
    fault('conflict', message, { details: [{ path: 'replace', message: `must be true to ${what} the running ramp` }] });
  if (change.ramp !== undefined) throw refuse(`${running}; stop or replace it.`, 'replace');
  if (!('value' in change) && !('rollout' in change)) return;
  const both = ramp.guard === null ? 'it' : 'it and its guard';
  throw refuse(`${running}; this change would end ${both} at once.`, 'end');
};

interface DecidedChange extends FlagChangeResult {
  readonly before: ResolvedFlag;
  readonly after: ResolvedFlag;
  readonly origin: Omit<FlagChangeOrigin, 'approvedBy'>;
}

/** Decides a change of the flag as it is; `approved`: by a person, whose endpoint then redacts it. Throws for too many targets. */
const decideChange = (
  { deps, caller, change }: FlagChangeContext,
  before: ResolvedFlag,
  approved: boolean,
): DecidedChange => {
  const { principal, requestId, address, reason = null } = caller;
  const at = deps.clock.now();
  const origin = {
    at,
    by: { ...toActorRef(principal), role: principal.role?.name ?? null },
    requestId,
    address,
    reason,
  };
  const after = decideFlag(before, change, { ...origin, rampId: newId('job'), approved });
  if (after.targets !== before.targets) requireTargetLimits(after.targets);
  const view = flagView(after, at);
  return {
    before,
    after,
    origin,
    flag: approved ? view : redactFlag(view, principal.access),
    changed: after !== before,
    replaced: replacedRamp(redactFlag(flagView(before, at), principal.access), change),
  };
};

/** Reads, decides and writes once. Returns null when the flag has changed between reading and writing. */
const tryChange = async (context: FlagChangeContext, db: Db | Tx, lock: boolean): Promise<FlagChangeResult | null> => {
  const { deps, caller, declared, change, options } = context;
  const { expectedChanges, approvedBy = null, ifMatch, replaces, save } = options;
  const envId = caller.env.id;
  const before = resolveFlag(declared, await readFlagRow(db, envId, declared.key, lock));
  if (expectedChanges !== undefined && before.changes !== expectedChanges)
    throw staleFlagFault('flag', 'was changed since this was asked for');
  if (ifMatch !== undefined && ifMatch !== before.version)
    throw versionConflict(before, caller.principal, deps.clock.now());
  requireReplaces(before, change, replaces);
  const { after, origin, flag, changed, replaced } = decideChange(context, before, approvedBy !== null);
  const applied: FlagChangeResult = { flag, changed, replaced };
  const saved = save?.(applied) ?? null;
  if (!changed) {
    if (saved !== null) await insertSavedResponse(db, saved, origin.at);
    return applied;
  }
  const happening = { ...origin, approvedBy };
  return (await writeFlagChange(db, envId, before, after, { happening, saved })) ? applied : null;
};

/** In another's transaction there is one round, and its error ends that transaction. */
const changeWithRetries = (wanted: FlagChangeContext, db: Db | Tx): Promise<FlagChangeResult> => {
  const own = db === wanted.deps.db;
  return retryOnConflict(
    ({ lock }) => {
      if (!own) return tryChange(wanted, db, true);
      return lock ? wanted.deps.db.transaction((tx) => tryChange(wanted, tx, true)) : tryChange(wanted, db, false);
    },
    {
      limit: roundsMax,
      isConflict: (error) => own && isSerializationFailure(error),
      exhausted: () => contendedFault('flag'),
    },
  );
};

/** Sends the wake signals of the publisher, the enqueuer and the flag caches. */
export const notifyFlagsChanged = ({ bus }: Pick<FlagDeps, 'bus'>): void => {
  bus.publish(channels.workAvailable, 'outbox');
  bus.publish(channels.workAvailable, 'jobs');
  bus.publish(channels.flags, '');
};

/**
 * Changes a flag for `caller`, its requester, with everything checked as it stands now, and returns it. `db` may be an open
 * transaction. Throws `stale` when the change no longer fits the declaration.
 */
export const applyFlagChange = async (
  deps: FlagDeps,
  db: Db | Tx,
  caller: Caller,
  key: string,
  change: FlagChange,
  options: FlagChangeOptions = {},
): Promise<FlagView> => {
  const declared = requireVisibleFlag(caller, key);
  requireMayChangeFlag(caller, key);
  const problems = flagChangeProblems(caller, declared, change, deps.clock.now()).filter(
    ({ path }) => options.approvedBy === undefined || path !== 'change.ramp.at',
  );
  if (problems.length > 0) throw fault('stale', undefined, { details: problems });
  const applied = await changeWithRetries({ deps, caller, declared, change, options }, db);
  const announce = (): void => {
    notifyFlagsChanged(deps);
  };
  if ('executionPromise' in db) db.executionPromise.then(announce, () => undefined);
  else announce();
  return applied.flag;
};

/** Returns the members of a flag that a change sets, as they will be. */
const membersAfter = (flag: ResolvedFlag, at: number): Readonly<Record<string, unknown>> => {
  const { value, rollout, targets, rules, ramp } = flagView(flag, at);
  return { value, rollout, targets, rules, ramp };
};

/** Returns the members of a flag as a change by the caller would leave them now. */
export const flagChangeAfter = async (
  deps: FlagDeps,
  caller: Caller,
  declared: ManifestFlag,
  change: FlagChange,
): Promise<Readonly<Record<string, unknown>>> => {
  const now = resolveFlag(declared, await readFlagRow(deps.db, caller.env.id, declared.key));
  return membersAfter(decideChange({ deps, caller, declared, change, options: {} }, now, true).after, deps.clock.now());
};

export type FlagChangeOutcome =
  | { readonly kind: 'done'; readonly applied: FlagChangeResult }
  | { readonly kind: 'dryRun'; readonly would: 'change' | 'pend' | 'nothing'; readonly applied: FlagChangeResult }
  | { readonly kind: 'pending'; readonly approval: string };

/** Whether the change only stops a ramp, which needs neither approval nor confirmation, so that it is always quick. */
const isRampStop = (change: FlagChange): boolean => change.ramp === null && Object.keys(change).length === 1;

interface FlagChangeRequest extends CheckedBody {
  readonly ifMatch: number | undefined;
  /** false: a change that would replace or end a running ramp is refused. */
  readonly replaces: boolean;
  /** Whether the requester is warned that the guard counts nothing. */
  readonly warned: boolean;
  readonly save: (outcome: FlagChangeOutcome) => SavedResponse | null;
}

/**
 * Checks version and confirmation, then asks for an approval, writes the change, or for a dry run says which. The endpoint has checked rights and body
 * before. Throws `version_conflict`, `confirmation_required` or `conflict`.
 */
export const changeFlag = async (
  deps: FlagDeps,
  caller: Caller,
  declared: ManifestFlag,
  { change, confirmed, dryRun, ifMatch, replaces, warned, save }: FlagChangeRequest,
): Promise<FlagChangeOutcome> => {
  const { env, principal } = caller;
  const { key, danger = null } = declared;
  const supervised = principal.mode === 'supervised';
  const quick = isRampStop(change) && !supervised;
  const needsApproval = supervised || (approvalNeeds(declared.approval) !== null && !quick);
  const now = resolveFlag(declared, await readFlagRow(deps.db, env.id, key));
  const at = deps.clock.now();
  if (ifMatch !== undefined && ifMatch !== now.version) throw versionConflict(now, caller.principal, at);
  const missing = declared.reasonRequired === true && !isRampStop(change) ? reasonFault(caller) : null;
  if (missing !== null) throw missing;
  if (danger !== null && !confirmed && !quick)
    throw fault('confirmation_required', undefined, { details: [{ path: 'confirmed', message: `danger: ${danger}` }] });
  requireReplaces(now, change, replaces);
  const declaredNow: FlagChangeContext = {
    deps,
    caller,
    declared,
    change,
    options: { ifMatch, replaces, save: (applied) => save({ kind: 'done', applied }) },
  };
  if (dryRun) {
    const { flag, changed, replaced } = decideChange(declaredNow, now, false);
    const would = needsApproval ? 'pend' : changed ? 'change' : 'nothing';
    const tried: FlagChangeOutcome = { kind: 'dryRun', would, applied: { flag, changed, replaced } };
    const saved = save(tried);
    if (saved !== null) await insertSavedResponse(deps.db, saved, at);
    return tried;
  }
  if (!needsApproval) {
    const applied = await changeWithRetries(declaredNow, deps.db);
    if (applied.changed) notifyFlagsChanged(deps);
    return { kind: 'done', applied };
  }
  const { approval } = await requestApproval(deps, caller, {
    kind: 'flag',
    summary: flagChangeSummary(key, change),
    request: {
      flag: key,
      change,
      changes: now.changes,
      warned,
      after: membersAfter(decideChange(declaredNow, now, true).after, at),
    },
    before: flagView(now, at),
    ...approvalNeeds(declared.approval),
    fingerprint: ['flag', key, change],
    expiresMs: limits.flagApprovalMs,
    save: (asked) => save({ kind: 'pending', approval: asked.approval }),
  });
  return { kind: 'pending', approval };
};
