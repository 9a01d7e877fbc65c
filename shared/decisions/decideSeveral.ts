/** Decides several approvals with one verdict, one after the other. For api/routes/approvals.ts. */
import type { Caller } from '../accounts/access/principal.ts';
import { auditOutcomeOf, insertRefusal } from '../accounts/access/refusals.ts';
import { readApproval } from '../approvals/model.ts';
import { canSee } from '../approvals/queries.ts';
import type { DecideInput, DecisionOutcome } from '../approvals/schema.ts';
import { Fault, fault } from '../catalogue/errors.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { presentApprovals } from '../views/approvals/currentTargets.ts';
import { endedApprovalJson, type PresentedApproval } from '../views/approvals/present.ts';
import type { ViewDeps } from '../views/deps.ts';
import { approveRequest, rejectRequest } from './decide.ts';

/** The outcomes of faults of the same codes. */
const named: ReadonlySet<string> = new Set<DecisionOutcome>([
  'already_decided',
  'stale',
  'changed_since_seen',
  'forbidden',
  'not_found',
]);

/** Returns the outcome of a decision that a fault prevents. Throws a fault that is not about this approval. */
const outcomeOf = (error: unknown): DecisionOutcome => {
  if (!(error instanceof Fault) || error.code === 'unavailable' || auditOutcomeOf(error) === null) throw error;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the set has outcomes alone
  return named.has(error.code) ? (error.code as DecisionOutcome) : 'conflict';
};

export interface DecisionResult {
  readonly id: string;
  readonly outcome: DecisionOutcome;
  /** Why it was not decided; null: it was. */
  readonly error: string | null;
}

/** Decides one approval as a call of its own would, with its audit entry when it is refused. */
const decideOne = async (
  deps: ViewDeps,
  caller: Caller,
  { id, digest }: DecideInput['decisions'][number],
  { verdict, note }: { readonly verdict: DecideInput['verdict']; readonly note: string | null },
): Promise<DecisionResult> => {
  const save = (): null => null;
  try {
    if (verdict === 'reject') {
      await rejectRequest(deps, caller, id, { note, save });
      return { id, outcome: 'rejected', error: null };
    }
    const answer: unknown = JSON.parse(await approveRequest(deps, caller, id, { note, digest, save }));
    const isVote = isObject(answer) && isObject(answer['approval']) && answer['approval']['status'] === 'pending';
    return { id, outcome: isVote ? 'voted' : 'approved', error: null };
  } catch (error) {
    const outcome = outcomeOf(error);
    if (!(error instanceof Fault)) throw error;
    const refusal = {
      verb: `approval.${verdict}`,
      target: { type: 'approval', id },
      outcome: auditOutcomeOf(error) ?? 'failed',
      code: error.code,
    } as const;
    await insertRefusal(deps.db, caller, refusal, deps.clock.now());
    return { id, outcome, error: error.message };
  }
};

/** Returns the approvals that the caller sees as they are now, by id. */
const readDecided = async (
  deps: ViewDeps,
  caller: Caller,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<unknown, PresentedApproval>> => {
  const found = await Promise.all([...ids].map((id) => readApproval(deps.db, caller.env.id, id)));
  const approvals = found.flatMap((approval) => (approval !== undefined && canSee(caller, approval) ? [approval] : []));
  const pending = approvals.filter(({ status }) => status === 'pending');
  const ended = approvals
    .filter(({ status }) => status !== 'pending')
    .map((approval) => endedApprovalJson(caller.env.definition, approval, caller.principal.access));
  return new Map([...(await presentApprovals(deps, caller, pending)), ...ended].map((each) => [each['id'], each]));
};

/** Returns the results with their approvals as the caller sees them now; `not_found` for one that they don't see. Called anew for a repeat. */
export const presentDecisions = async (
  deps: ViewDeps,
  caller: Caller,
  results: readonly DecisionResult[],
): Promise<readonly object[]> => {
  const seen = await readDecided(deps, caller, new Set(results.map(({ id }) => id)));
  return results.map((result) => {
    const approval = seen.get(result.id);
    if (approval !== undefined) return { ...result, approval };
    const { code, message } = fault('not_found');
    return { id: result.id, outcome: code, error: message, approval: null };
  });
};

/**
 * Decides the approvals in their order and returns what became of each. Each decision is a transaction of its own, so that one that is
 * refused keeps no other from being made.
 */
export const decideRequests = async (
  deps: ViewDeps,
  caller: Caller,
  { decisions, verdict }: DecideInput,
  note: string | null,
): Promise<readonly DecisionResult[]> => {
  const results: DecisionResult[] = [];
  for (const decision of decisions) results.push(await decideOne(deps, caller, decision, { verdict, note }));
  return results;
};
