/** Decides about one item without writing: the gate, the expected version, the operation's decision. For perform.ts, dryRun.ts and supervised/. */
import { reasonFault } from '../../accounts/access/gates.ts';
import type { Caller } from '../../accounts/access/principal.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { Fault, fault } from '../../catalogue/errors.ts';
import type { BulkOutcome } from '../../catalogue/states/bulks.ts';
import type { Item } from '../model.ts';
import type { DecisionContext, ItemDecision, ItemOperation } from '../operation.ts';
import { changedSinceFault } from '../operations/restore.ts';
import { gateItemChange } from './gate.ts';

export interface DecisionRequest<I> {
  readonly caller: Caller;
  readonly operation: ItemOperation<I>;
  readonly input: I;
  /** The version that the item must have; absent: any. */
  readonly ifMatch?: number | undefined;
}

/** Returns the fault of a change without the reason that its inbox demands; null for one that a person has approved. */
const missingReasonFault = <I>(
  caller: Caller,
  { reasonRequired }: InboxDefinition,
  { needsReason }: ItemOperation<I>,
  input: I,
): Fault | null =>
  reasonRequired && caller.approvedBy === undefined && needsReason(input) ? reasonFault(caller) : null;

/** Returns the decision for an item; always a fault for one that doesn't exist or isn't seen. */
export const decideItemChange = <I>(
  { caller, operation, input, ifMatch }: DecisionRequest<I>,
  item: Item | undefined,
  moment: DecisionContext,
): ItemDecision => {
  const { verb } = operation;
  const seen = gateItemChange(caller, typeof verb === 'function' ? verb(input) : verb, item);
  if (seen instanceof Fault) return seen;
  if (ifMatch !== undefined && seen.item.version !== ifMatch)
    return fault('version_conflict', undefined, { body: { current: seen.item } });
  return (
    missingReasonFault(caller, seen.inbox, operation, input) ?? operation.decide(seen.item, seen.inbox, input, moment)
  );
};

/** Returns the outcome as which a bulk's results and a dry run count a fault: `conflict` is for an undo whose item has changed since. */
export const toBulkOutcome = (problem: Fault): BulkOutcome => {
  if (problem === changedSinceFault) return 'conflict';
  return problem.code === 'forbidden' || problem.code === 'not_found' ? problem.code : 'failed';
};
