/**
 * Checks a bulk of an action before the service accepts it, in the order of `POST /actions`, and counts the items that it would change
 * now. Used by `POST /bulk`, and by requests for approval, which show the counts to the decider.
 */
import type { Caller } from '../accounts/access/principal.ts';
import type { ActionDefinition } from '../app/manifest/actions.ts';
import type { ManifestResource } from '../app/manifest/manifest.ts';
import { Fault, fault, invalidAt } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { RecordRef } from '../items/model.ts';
import { type DryRunCounts, newDryRunTally } from '../items/perform/dryRun.ts';
import { evaluateCondition } from '../platform/conditions/conditions.ts';
import { withPathPrefix } from '../platform/json/validate.ts';
import { type InTurn, createTurns } from '../platform/turns/turns.ts';
import { getAppRecords } from '../records/appReads.ts';
import { type FullRecord, findRecords } from '../records/queries.ts';
import { recordIdProblem } from '../records/recordProblems.ts';
import { requiresApproval } from '../runs/accept/acceptAction.ts';
import {
  inapplicableReason,
  requireRunnableAction,
  fillInput,
  requireConfirmed,
  requireFreshSignIn,
  requireReason,
} from '../runs/authorizeAction.ts';
import type { ActionDeps } from '../runs/model.ts';
import { type BulkActionRequest, offlineFault, planBulkRuns } from './runs.ts';
import type { BulkActionBody, BulkOperationBody } from './schema.ts';

export interface AuthorizedBulk {
  /** With the input's defaults filled in. */
  readonly operation: BulkOperationBody;
  /** Whether a person has to approve it first. */
  readonly requiresApproval: boolean;
}

/** Returns the operation with its input filled in, or throws the first fault. Rights on items and records are checked when it runs. */
export const authorizeBulkAction = (
  caller: Caller,
  operation: BulkActionBody,
  freshUntil: number | null,
  at: number,
): AuthorizedBulk => {
  const action = withPathPrefix('operation', () => requireRunnableAction(caller, operation.action));
  requireFreshSignIn(caller, action, freshUntil, at);
  if (action.resource === null)
    throw invalidAt('operation.action', `${action.name} takes no record, so it can’t be run on items`);
  const input = fillInput(action, operation.input ?? {}, 'operation.input.');
  requireReason(caller, action);
  requireConfirmed(action, operation.confirmed ?? false, 'operation.confirmed');
  return { operation: { ...operation, input }, requiresApproval: requiresApproval(caller, action) };
};

/** Returns the operation of a bulk that names records. Throws `invalid` for one of another resource than the action’s. */
export const overRecords = (
  { env }: Caller,
  operation: BulkOperationBody,
  refs: readonly RecordRef[],
): BulkOperationBody => {
  const name = String(operation['action']);
  const resource = env.definition.actions.get(name)?.resource ?? null;
  const other = refs.findIndex((ref) => ref.resource !== resource);
  if (other !== -1)
    throw invalidAt(`refs.${String(other)}.resource`, `must be ${String(resource)}, whose records ${name} is for`);
  return { ...operation, records: resource };
};

/** ms after which no further records are read: as long as an action is waited for, and as one read of the app may take. */
const dryRunMs = limits.actionWaitMs;

/** What records are checked for: an action, and who runs it. */
interface RecordCheck {
  readonly caller: Caller;
  readonly action: ActionDefinition;
  readonly input: object;
  /** The resource that the action runs on; undefined: it is not declared. */
  readonly resource: ManifestResource | undefined;
  readonly inTurn: InTurn;
}

/** Returns those of the records that exist; null: the app serves them and is offline, so that nobody can say. */
const readRecords = async (
  { db, link }: ActionDeps,
  { caller: { env }, resource }: RecordCheck,
  ids: readonly string[],
): Promise<readonly FullRecord[] | null> => {
  if (resource === undefined) return [];
  const { name, source } = resource;
  const valid = ids.filter((id) => recordIdProblem(id) === null);
  if (source === 'app')
    return (await link.online(env.id, { kind: 'resource', name })) ? getAppRecords(link, env.id, name, valid) : null;
  return findRecords(
    db,
    env.id,
    valid.map((id) => ({ resource: name, id })),
  );
};

/** Returns the fault of running the action on a record, or null. */
const recordFault = ({ action, input }: RecordCheck, record: FullRecord | undefined): Fault | null => {
  if (record === undefined) return fault('not_found');
  const applies = action.when === null || evaluateCondition(action.when, { record, input });
  return applies ? null : fault('conflict', inapplicableReason(action));
};

/** Returns for each of the records the fault that a run on it would have now, or null: as `reauthorizeAction`, which reads one record. */
const checkRecords = async (
  deps: ActionDeps,
  check: RecordCheck,
  ids: readonly string[],
): Promise<readonly (readonly [string, Fault | null])[]> => {
  try {
    const records = await readRecords(deps, check, ids);
    if (records === null) return ids.map((id) => [id, null]);
    const found = new Map(records.map((record) => [record.id, record]));
    const checked: (readonly [string, Fault | null])[] = [];
    for (const id of ids) checked.push([id, await check.inTurn(() => recordFault(check, found.get(id)))]);
    return checked;
  } catch (error) {
    if (error instanceof Fault) return ids.map((id) => [id, error]);
    throw error;
  }
};

const cut = <T>(all: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

/**
 * Returns the counts of what a bulk of an action, whose input is filled in, would do now; null when `signal` is aborted, or when
 * not all records could be read in `dryRunMs`: the read that is under way then is the last. Other requests run between reads, and between the checks of many records.
 */
export const dryRunAction = async (
  deps: ActionDeps,
  caller: Caller,
  operation: BulkActionRequest,
  { ids, signal }: { readonly ids: readonly string[]; readonly signal: AbortSignal | null },
): Promise<DryRunCounts | null> => {
  const action = requireRunnableAction(caller, operation.action);
  const resource = caller.env.definition.resources.get(action.resource ?? '');
  const check: RecordCheck = { caller, action, input: operation.input ?? {}, resource, inTurn: createTurns(null) };
  // The app is asked for as many at once as for a page of a list.
  const recordsPerRead = resource?.source === 'app' ? limits.pageDefault : limits.bulkChunk;
  const offline = await offlineFault(deps, caller, action);
  const endsAt = deps.clock.now() + dryRunMs;
  const isOver = (): boolean => signal?.aborted === true || deps.clock.now() >= endsAt;
  const tally = newDryRunTally();
  let matched = 0;
  const problems = new Map<string, Fault | null>();
  for (const piece of cut(ids, limits.bulkChunk)) {
    if (isOver()) return null;
    const { groups, faults } = await planBulkRuns(
      deps,
      caller,
      { resource: action.resource, records: operation.records },
      new Map(piece.map((id, i) => [id, i])),
    );
    const unread = [...groups.keys()].filter((id) => !problems.has(id));
    for (const some of cut(unread, recordsPerRead)) {
      if (isOver()) return null;
      for (const [id, problem] of await checkRecords(deps, check, some)) problems.set(id, problem);
    }
    for (const { fault: problem } of faults.values()) {
      tally.add(problem);
      if (problem.code !== 'not_found') matched += 1;
    }
    for (const [record, items] of groups) {
      const problem = problems.get(record) ?? offline;
      tally.add(problem, items.length);
      // Of a record that the bulk names itself it tells whether that is there.
      if (operation.records === undefined || problem?.code !== 'not_found') matched += items.length;
    }
  }
  return tally.counts(matched);
};
