/** Counts the effects that an operation would have on many items, by the same gate and decision as perform.ts. For POST /bulk with `dryRun`. */
import { withoutSupervision } from '../../access/principal.ts';
import { Fault, fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import type { DomainDeps } from '../../settings/deps.ts';
import { readItems, type Item } from '../model.ts';
import type { ItemDecision } from '../operation.ts';
import { decideItemChange, toBulkOutcome, type DecisionRequest } from './decide.ts';
import { createDecisionContext } from './perform.ts';

export interface DryRunCounts {
  /** Items that the caller sees. */
  matched: number;
  wouldChange: number;
  unchanged: number;
  forbidden: number;
  notFound: number;
  failed: number;
}

export const emptyDryRunCounts: Readonly<DryRunCounts> = {
  matched: 0,
  wouldChange: 0,
  unchanged: 0,
  forbidden: 0,
  notFound: 0,
  failed: 0,
};

/** Returns the item as the operation would leave it, but for the version, which stays what `If-Match` takes, or the fault that it would have. A supervised agent's change is decided as if it were approved. */
export const tryItemChange = async <I>(
  deps: DomainDeps,
  request: DecisionRequest<I>,
  id: string,
): Promise<{ readonly item: Item; readonly changed: boolean } | Fault> => {
  const caller = { ...request.caller, principal: withoutSupervision(request.caller.principal) };
  const moment = createDecisionContext(deps, caller);
  const item = (await readItems(deps.db, caller.env.id, [id])).get(id);
  const change = decideItemChange({ ...request, caller }, item, moment);
  if (change instanceof Fault) return change;
  if (item === undefined) return fault('not_found');
  if (change === 'unchanged') return { item, changed: false };
  return { item: { ...change.item, version: item.version, updatedAt: moment.at }, changed: true };
};

/** Returns the member that counts an item with this decision; `null`: an action would run. */
export const dryRunMember = (change: ItemDecision | null): Exclude<keyof DryRunCounts, 'matched'> => {
  if (change === 'unchanged') return 'unchanged';
  if (!(change instanceof Fault)) return 'wouldChange';
  const outcome = toBulkOutcome(change);
  return outcome === 'forbidden' ? 'forbidden' : outcome === 'not_found' ? 'notFound' : 'failed';
};

/** Returns how many of `ids` the operation would change now, and why it wouldn't change the others. Reads by pieces of `limits.bulkChunk`, so that other requests run in between. */
export const dryRun = async <I>(
  deps: DomainDeps,
  request: DecisionRequest<I>,
  ids: readonly string[],
): Promise<DryRunCounts> => {
  const tally: DryRunCounts = { ...emptyDryRunCounts };
  const moment = createDecisionContext(deps, request.caller);
  for (let from = 0; from < ids.length; from += limits.bulkChunk) {
    const piece = ids.slice(from, from + limits.bulkChunk);
    const items = await readItems(deps.db, request.caller.env.id, piece);
    for (const id of piece) tally[dryRunMember(decideItemChange(request, items.get(id), moment))] += 1;
  }
  tally.matched = ids.length - tally.notFound;
  return tally;
};
