/**
 * The checks that an action passes before it may run, in their order: rights, sign-in, record, item, input, conditions,
 * confirmation. Used for a call, for each record of a bulk, for a retry, and when a queued run starts or is approved.
 */
import { type Caller, unknownName, findVisibleInbox, reasonFault } from '../accounts/access/principal.ts';
import { requireApprovedIfSupervised } from '../accounts/requester.ts';
import type { ActionDefinition } from '../app/manifest/actions.ts';
import { orderMembers } from '../app/manifest/declaredOrder.ts';
import { fault, invalidAt, notFoundAt, type Fault, type FaultDetail } from '../catalogue/errors.ts';
import { workFault, workWarnings } from '../items/claims.ts';
import { readItems, type Item } from '../items/model.ts';
import { openSeen, readKnowledge, type Knowledge, type SeenPlace } from '../items/seen.ts';
import { evaluateCondition, mayHold } from '../platform/conditions/conditions.ts';
import { unmetComparisons } from '../platform/conditions/unmet.ts';
import { textProblem } from '../platform/json/jsonLimits.ts';
import type { Warning } from '../platform/json/schema.ts';
import { invalidFault } from '../platform/json/validate.ts';
import { getRecord, type FullRecord } from '../records/read.ts';
import type { ActionDeps, Run } from './model.ts';

/** Returns the actions that the caller may run. */
const runnableActions = ({ env, principal: { access } }: Caller): ActionDefinition[] =>
  [...env.definition.actions.values()].filter(
    ({ name, resource }) =>
      access.can('action', name, 'run') && (resource === null || access.sees('resource', resource)),
  );

/** Throws `not_found` when the caller's role doesn't see the action, `forbidden` when it sees the action and may not run it. */
export const requireMayRun = (
  caller: Caller,
  { name, resource }: Pick<ActionDefinition, 'name' | 'resource'>,
): void => {
  const { access } = caller.principal;
  const mayRun = access.can('action', name, 'run');
  if (resource === null ? !mayRun : !access.sees('resource', resource))
    throw unknownName('action', name, runnableActions(caller));
  if (!mayRun) throw fault('forbidden', `Your role may not run ${name}.`);
};

/** Returns the action. Throws `not_found` when the caller can't see it, `forbidden` when the caller sees it and may not run it. */
export const requireRunnableAction = (caller: Caller, name: string): ActionDefinition => {
  const action = caller.env.definition.actions.get(name);
  if (action === undefined) throw unknownName('action', name, runnableActions(caller));
  requireMayRun(caller, action);
  if (caller.principal.mode === 'readonly') throw fault('forbidden', 'This agent is read-only.');
  return action;
};

/** Throws `fresh_sign_in_required` when the action needs a fresh session. `freshUntil`: of the caller's session; null: no session. */
export const requireFreshSignIn = (
  { principal }: Caller,
  action: ActionDefinition,
  freshUntil: number | null,
  at: number,
): void => {
  if (!action.freshSignIn) return;
  if (principal.type !== 'person' || freshUntil === null || freshUntil <= at) throw fault('fresh_sign_in_required');
};

/** Throws `invalid` unless the record is given exactly when the action takes one. */
const requireRecordRef = (action: ActionDefinition, record: string | undefined): void => {
  if (action.resource === null && record !== undefined) throw invalidAt('record', `${action.name} takes no record`);
  if (action.resource !== null && record === undefined)
    throw invalidAt('record', `${action.name} needs the id of a record of ${action.resource}`);
};

/**
 * Returns the record of an action, null when the action takes none, and `unverified` when the app serves the record and is
 * offline: the run reads it when it starts. Throws `not_found`.
 */
const readActionRecord = async (
  deps: ActionDeps,
  { env }: Caller,
  action: ActionDefinition,
  id: string | null,
): Promise<FullRecord | null | 'unverified'> => {
  if (action.resource === null || id === null) return null;
  const { resource: name } = action;
  const none = (): Fault => notFoundAt('record', `no ${name} has this id`);
  if (textProblem(id) !== null || id.length === 0) throw none();
  if (
    env.definition.resources.get(name)?.source === 'app' &&
    !(await deps.link.online(env.id, { kind: 'resource', name }))
  )
    return 'unverified';
  const record = await getRecord(deps, env, name, id);
  if (record === null) throw none();
  return record;
};

/** The item whose timeline shows a run. */
interface RunItem {
  readonly item: Item | null;
  /** Whether the run is accepted only while the item is as it was read. */
  readonly isGuarded: boolean;
  /** The place up to which the agent has read the item. */
  readonly seen: SeenPlace | null;
  readonly known: Knowledge | null;
  readonly warnings: readonly Warning[];
}

const noItem: RunItem = { item: null, isGuarded: false, seen: null, known: null, warnings: [] };

/**
 * Reads the item whose timeline shows a run. Throws `not_found` when the caller does not see it, and what an agent is refused that
 * has not claimed or not read it where the inbox demands that.
 */
export const readRunItem = async (
  { db, clock }: ActionDeps,
  caller: Caller,
  id: string | null,
  seen: SeenPlace | null,
): Promise<RunItem> => {
  if (id === null) return noItem;
  const item = (await readItems(db, caller.env.id, [id])).get(id);
  const inbox = item === undefined ? undefined : findVisibleInbox(caller, item.inbox);
  if (item === undefined || inbox === undefined) throw notFoundAt('item', 'you see no item with this id');
  const known = await readKnowledge(db, caller, item, seen);
  const work = { needed: 'claim', known, at: clock.now() } as const;
  const problem = workFault(caller, inbox, item, work);
  if (problem !== null) throw problem;
  return {
    item,
    isGuarded: caller.principal.type === 'agent' && (inbox.unseen === 'refuse' || inbox.claims === 'enforce'),
    seen,
    known,
    warnings: workWarnings(caller, inbox, item, work),
  };
};

/** Returns a copy of the input with its schema's defaults filled in, and the problems that it has. */
export const tryInput = (
  action: ActionDefinition,
  input: object,
  prefix = 'input.',
): { readonly filled: Record<string, unknown>; readonly problems: readonly FaultDetail[] } => {
  const filled: Record<string, unknown> = { ...structuredClone(input) };
  const problems = action.inputProblems(filled, prefix);
  return { filled: orderMembers(action.input, filled), problems };
};

/** Returns the input with its schema's defaults filled in. Throws `invalid` with paths into `input`. */
export const fillInput = (action: ActionDefinition, input: object, prefix?: string): Record<string, unknown> => {
  const { filled, problems } = tryInput(action, input, prefix);
  if (problems.length > 0)
    throw invalidFault(problems.map(({ path, message }) => ({ path: path.replace(/\.$/, ''), message })));
  return filled;
};

/** Returns why an action does not apply where its `when` does not hold. */
export const inapplicableReason = ({ label, resource, otherwise }: ActionDefinition): string =>
  otherwise ?? `${label} does not apply to this ${resource ?? 'state of things'} now.`;

/** Throws `conflict` where the action's `when` does not hold, with the comparisons that fail. What reads a record that nobody can read now is left to the start of the run. */
const requireApplies = (
  action: ActionDefinition,
  record: FullRecord | null | 'unverified',
  input: Readonly<Record<string, unknown>>,
): void => {
  const { when } = action;
  if (when === null) return;
  const isRead = record !== 'unverified';
  const subject = isRead ? { record, input } : { input };
  if (isRead ? evaluateCondition(when, subject) : mayHold(when, subject, 'record')) return;
  const details = unmetComparisons(when, subject, isRead ? undefined : 'record');
  throw fault('conflict', inapplicableReason(action), { details });
};

export const requireConfirmed = (action: ActionDefinition, confirmed: boolean, path = 'confirmed'): void => {
  if (action.danger === null || confirmed) return;
  throw fault('confirmation_required', undefined, { details: [{ path, message: `danger: ${action.danger}` }] });
};

/** Throws `invalid` without the reason that the action needs. */
export const requireReason = (caller: Caller, { reasonRequired }: ActionDefinition): void => {
  const missing = reasonRequired ? reasonFault(caller) : null;
  if (missing !== null) throw missing;
};

interface ActionRequest {
  readonly action: string;
  readonly record?: string | undefined;
  readonly item?: string | undefined;
  readonly seen?: string | undefined;
  readonly input?: object | undefined;
  readonly confirmed?: boolean | undefined;
}

/** An action that has passed every check up to the approval. */
export interface AuthorizedAction extends RunItem {
  readonly action: ActionDefinition;
  readonly record: FullRecord | null | 'unverified';
  readonly input: Readonly<Record<string, unknown>>;
}

/** Runs all checks of a call and throws the fault of the first that fails. */
export const authorizeAction = async (
  deps: ActionDeps,
  caller: Caller,
  request: ActionRequest,
  freshUntil: number | null,
): Promise<AuthorizedAction> => {
  const action = requireRunnableAction(caller, request.action);
  requireFreshSignIn(caller, action, freshUntil, deps.clock.now());
  requireRecordRef(action, request.record);
  const record = await readActionRecord(deps, caller, action, request.record ?? null);
  const { item = null, seen } = request;
  const of = await readRunItem(deps, caller, item, item === null ? null : openSeen(caller, item, seen));
  const input = fillInput(action, request.input ?? {});
  requireReason(caller, action);
  requireApplies(action, record, input);
  requireConfirmed(action, request.confirmed ?? false);
  return { ...of, action, record, input };
};

/** The error of a run or an approval whose action was removed from the manifest while it was pending. */
export const undeclaredActionMessage = 'The action is declared no more.';

/** Throws `not_found` with a sentence of its own for an action that is gone, and that the caller's role would still let run. */
const requireDeclared = ({ env, principal: { access } }: Caller, name: string): void => {
  if (!env.definition.actions.has(name) && access.can('action', name, 'run'))
    throw fault('not_found', undeclaredActionMessage);
};

/** Returns the fault of a run that was asked for before its action was declared for another resource, else null. */
export const resourceFault = ({ label, resource }: ActionDefinition, run: Pick<Run, 'resource'>): Fault | null =>
  run.resource === resource
    ? null
    : fault(
        'conflict',
        `${label} was asked for ${run.resource ?? 'no record'} and takes ${resource ?? 'no record'} now; ask for it anew.`,
      );

/** Returns the fault of a run that does not fit its action as it is declared now: it acts on another resource, or needs an approval that nobody gave. */
export const misfitFault = (action: ActionDefinition, run: Pick<Run, 'resource' | 'approved_by'>): Fault | null =>
  resourceFault(action, run) ??
  (action.approval && run.approved_by === null
    ? fault(
        'conflict',
        `${action.label} needs a person’s approval now, and nobody has approved this; ask for it again, and a person decides.`,
      )
    : null);

/** Checks a run that was accepted before and starts now: rights, approval, record, input and conditions as they stand now. */
export const reauthorizeAction = async (
  deps: ActionDeps,
  caller: Caller,
  run: Pick<Run, 'action' | 'resource' | 'record' | 'input' | 'approved_by'>,
): Promise<AuthorizedAction> => {
  requireDeclared(caller, run.action);
  const action = requireRunnableAction(caller, run.action);
  requireApprovedIfSupervised(caller, run.approved_by !== null);
  if (action.freshSignIn && caller.principal.type !== 'person') throw fault('fresh_sign_in_required');
  const misfit = misfitFault(action, run);
  if (misfit !== null) throw misfit;
  requireRecordRef(action, run.record ?? undefined);
  const record = await readActionRecord(deps, caller, action, run.record);
  const input = fillInput(action, run.input);
  requireApplies(action, record, input);
  return { ...noItem, action, record, input };
};
