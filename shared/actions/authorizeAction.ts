/**
 * The steps that an action passes before it may run (contract section 5), in their order: for a call, for each record of
 * a bulk, for a retry, and again when a queued run starts or an approval is given.
 */
import { fault, invalidAt } from '../catalogue/errors.ts';
import type { Caller } from '../access/principal.ts';
import { evaluateCondition } from '../platform/core/conditions.ts';
import { textProblem } from '../platform/core/jsonLimits.ts';
import { invalidFault } from '../platform/core/validate.ts';
import type { ActionDeps } from './deps.ts';
import type { ActionDefinition } from '../environments/actions.ts';
import { readItems, type Item } from '../items/model.ts';
import { findVisibleInbox } from '../access/gates.ts';
import { getRecord, type FullRecord } from '../records/read.ts';

/** The action, if this caller may run it at all. Throws 404 for what it can't see, 403 for what it sees and may not run. */
export const requireRunnableAction = ({ env, principal }: Caller, name: string): ActionDefinition => {
  const action = env.definition.actions.get(name);
  if (action === undefined || (action.resource !== null && !principal.access.sees('resource', action.resource)))
    throw fault('not_found');
  if (!principal.access.can('action', name, 'run'))
    throw action.resource === null ? fault('not_found') : fault('forbidden', `Your role may not run ${name}.`);
  if (principal.mode === 'readonly') throw fault('forbidden', 'This agent is read-only.');
  return action;
};

/** `freshUntil`: of the caller's session; null for whatever has none. */
export const requireFreshSignIn = (
  { principal }: Caller,
  action: ActionDefinition,
  freshUntil: number | null,
  at: number,
): void => {
  if (!action.freshSignIn) return;
  if (principal.type !== 'person' || freshUntil === null || freshUntil <= at) throw fault('fresh_sign_in_required');
};

/** Given exactly when the action takes one. */
const requireRecordRef = (action: ActionDefinition, record: string | undefined): void => {
  if (action.resource === null && record !== undefined) throw invalidAt('record', `${action.name} takes no record`);
  if (action.resource !== null && record === undefined)
    throw invalidAt('record', `${action.name} needs the id of a record of ${action.resource}`);
};

/**
 * The record of an action: null when it takes none. Of an app-served one while the app is offline `unverified` is
 * answered, and the run looks again when it starts.
 */
const readActionRecord = async (
  deps: ActionDeps,
  { env }: Caller,
  action: ActionDefinition,
  id: string | null,
): Promise<FullRecord | null | 'unverified'> => {
  if (action.resource === null || id === null) return null;
  if (textProblem(id) !== null || id.length === 0) throw fault('not_found');
  const { resource: name } = action;
  if (
    env.definition.resources.get(name)?.source === 'app' &&
    !(await deps.link.online(env.id, { kind: 'resource', name }))
  )
    return 'unverified';
  const record = await getRecord(deps, env, name, id);
  if (record === null) throw fault('not_found');
  return record;
};

/** The item on whose timeline the run goes. */
const readTimelineItem = async ({ db }: ActionDeps, caller: Caller, id: string | null): Promise<Item | null> => {
  if (id === null) return null;
  const item = (await readItems(db, caller.env.id, [id])).get(id);
  if (item === undefined || findVisibleInbox(caller, item.inbox) === undefined) throw fault('not_found');
  return item;
};

/** The input with its schema's defaults filled in; `400 invalid` with paths into `input`. */
export const fillInput = (action: ActionDefinition, input: object, prefix = 'input.'): Record<string, unknown> => {
  const filled = structuredClone(input) as Record<string, unknown>;
  const problems = action.inputProblems(filled, prefix);
  if (problems.length > 0)
    throw invalidFault(problems.map(({ path, message }) => ({ path: path.replace(/\.$/, ''), message })));
  return filled;
};

const requireApplies = (action: ActionDefinition, record: FullRecord | null | 'unverified'): void => {
  if (action.when === null || record === 'unverified') return;
  if (!evaluateCondition(action.when, { record }))
    throw fault('conflict', `${action.label} does not apply to this ${action.resource ?? 'state of things'} now.`);
};

export const requireConfirmed = (action: ActionDefinition, confirmed: boolean, path = 'confirmed'): void => {
  if (action.danger === null || confirmed) return;
  throw fault('confirmation_required', undefined, { details: [{ path, message: `danger: ${action.danger}` }] });
};

interface ActionRequest {
  readonly action: string;
  readonly record?: string | undefined;
  readonly item?: string | undefined;
  readonly input?: object | undefined;
  readonly confirmed?: boolean | undefined;
}

/** What has passed every step up to the approval. */
export interface AuthorizedAction {
  readonly action: ActionDefinition;
  readonly record: FullRecord | null | 'unverified';
  readonly item: Item | null;
  readonly input: Readonly<Record<string, unknown>>;
}

/** All steps of a call; throws the fault of the first that fails. */
export const authorizeAction = async (
  deps: ActionDeps,
  caller: Caller,
  wish: ActionRequest,
  freshUntil: number | null,
): Promise<AuthorizedAction> => {
  const action = requireRunnableAction(caller, wish.action);
  requireFreshSignIn(caller, action, freshUntil, deps.clock.now());
  requireRecordRef(action, wish.record);
  const record = await readActionRecord(deps, caller, action, wish.record ?? null);
  const item = await readTimelineItem(deps, caller, wish.item ?? null);
  const input = fillInput(action, wish.input ?? {});
  requireApplies(action, record);
  requireConfirmed(action, wish.confirmed ?? false);
  return { action, record, item, input };
};

/** The steps of a run that was accepted before and starts now: rights, record, input and `when` as they stand now. */
export const reauthorizeAction = async (
  deps: ActionDeps,
  caller: Caller,
  run: { action: string; record: string | null; input: Readonly<Record<string, unknown>> },
): Promise<AuthorizedAction> => {
  const action = requireRunnableAction(caller, run.action);
  if (action.freshSignIn && caller.principal.type !== 'person') throw fault('fresh_sign_in_required');
  requireRecordRef(action, run.record ?? undefined);
  const record = await readActionRecord(deps, caller, action, run.record);
  const input = fillInput(action, run.input);
  requireApplies(action, record);
  return { action, record, item: null, input };
};
