/** Counts the effects that an operation would have on many items, by the same gate and decision as perform.ts. For POST /bulk with `dryRun`. */
import { withoutSupervision } from '../../accounts/access/principal.ts';
import type { DomainDeps } from '../../accounts/deps.ts';
import { Fault, fault, type ErrorCode } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import { readItems, type Item } from '../model.ts';
import type { EntryDraft, ItemDecision } from '../operation.ts';
import { readKnowledge, unreadBy, type SeenPlace } from '../seen.ts';
import { type DecisionRequest, decideItemChange, toBulkOutcome, createDecisionContext } from './perform.ts';

/** Why some items would not change. */
interface DryRunProblem {
  /** That of a single call. */
  readonly code: ErrorCode;
  readonly message: string;
  readonly count: number;
}

export interface DryRunCounts {
  /** Items that the caller sees. */
  readonly matched: number;
  readonly wouldChange: number;
  readonly unchanged: number;
  readonly forbidden: number;
  readonly notFound: number;
  readonly failed: number;
  /** Most frequent first; at most `limits.dryRunProblems`. */
  readonly problems: readonly DryRunProblem[];
}

type DryRunMember = 'wouldChange' | 'unchanged' | 'forbidden' | 'notFound' | 'failed';

/** Returns the member that counts an item with this decision; `null`: an action would run. */
const memberOf = (change: ItemDecision | null): DryRunMember => {
  if (change === 'unchanged') return 'unchanged';
  if (!(change instanceof Fault)) return 'wouldChange';
  const outcome = toBulkOutcome(change);
  return outcome === 'forbidden' ? 'forbidden' : outcome === 'not_found' ? 'notFound' : 'failed';
};

/** Counts decisions: by what would become of the items, and by why not. */
interface DryRunTally {
  add(change: ItemDecision | null, items?: number): void;
  /** `matched` absent: as many as exist. */
  counts(matched?: number): DryRunCounts;
}

export const newDryRunTally = (): DryRunTally => {
  const members = { wouldChange: 0, unchanged: 0, forbidden: 0, notFound: 0, failed: 0 };
  const problems = new Map<string, DryRunProblem>();
  return {
    add: (change, items = 1) => {
      members[memberOf(change)] += items;
      if (!(change instanceof Fault)) return;
      const { code, message } = change;
      const known = problems.get(`${code} ${message}`);
      problems.set(`${code} ${message}`, { code, message, count: (known?.count ?? 0) + items });
    },
    counts: (matched = members.wouldChange + members.unchanged + members.forbidden + members.failed) => ({
      matched,
      ...members,
      problems: [...problems.values()]
        .sort((a, b) => b.count - a.count || (a.message < b.message ? -1 : 1))
        .slice(0, limits.dryRunProblems),
    }),
  };
};

/** Returns the item as the operation would leave it, but for the version, which stays what `If-Match` takes, or the fault that it would have. A supervised agent's change is decided as if it were approved. */
export const tryItemChange = async <I>(
  deps: DomainDeps,
  request: DecisionRequest<I> & { readonly seen?: SeenPlace | null | undefined },
  id: string,
): Promise<{ readonly item: Item; readonly changed: boolean; readonly entries: readonly EntryDraft[] } | Fault> => {
  const caller = { ...request.caller, principal: withoutSupervision(request.caller.principal) };
  const moment = createDecisionContext(deps, caller);
  const item = (await readItems(deps.db, caller.env.id, [id])).get(id);
  const known = await readKnowledge(deps.db, caller, item, request.seen);
  const change = decideItemChange({ ...request, caller, known }, item, moment);
  if (change instanceof Fault) return change;
  if (item === undefined) return fault('not_found');
  if (change === 'unchanged') return { item, changed: false, entries: [] };
  return {
    item: { ...change.item, version: item.version, updatedAt: moment.at },
    changed: true,
    entries: change.entries,
  };
};

/** Returns how many of `ids` the operation would change now, and why it wouldn't change the others. Reads by pieces of `limits.bulkChunk`, so that other requests run in between. */
export const dryRun = async <I>(
  deps: DomainDeps,
  request: DecisionRequest<I>,
  ids: readonly string[],
): Promise<DryRunCounts> => {
  const tally = newDryRunTally();
  const moment = createDecisionContext(deps, request.caller);
  const asked = { ...request, known: unreadBy(request.caller) };
  for (let from = 0; from < ids.length; from += limits.bulkChunk) {
    const piece = ids.slice(from, from + limits.bulkChunk);
    const items = await readItems(deps.db, request.caller.env.id, piece);
    for (const id of piece) tally.add(decideItemChange(asked, items.get(id), moment));
  }
  return tally.counts();
};
