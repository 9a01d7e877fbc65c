/** Decides about one item without writing: the gate, the expected version, the operation's decision. For perform.ts, dryRun.ts and supervised/. */
import { type Caller, reasonFault, findVisibleInbox, principalModeFault } from '../../accounts/access/principal.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { Fault, fault } from '../../catalogue/errors.ts';
import type { InboxVerb } from '../../catalogue/permissions.ts';
import type { BulkOutcome } from '../../catalogue/states/bulks.ts';
import type { Item } from '../model.ts';
import type { DecisionContext, ItemDecision, ItemOperation } from '../operation.ts';
import { changedSinceFault } from '../operations/restore.ts';

/** Returns the item with its inbox, or the fault that the caller gets. `needed`: a verb, or several; null: only the service itself may. */
export const gateItemChange = (
  caller: Caller,
  needed: InboxVerb | readonly InboxVerb[] | null,
  item: Item | undefined,
): { item: Item; inbox: InboxDefinition } | Fault => {
  const inbox = item === undefined ? undefined : findVisibleInbox(caller, item.inbox);
  if (item === undefined || inbox === undefined) return fault('not_found');
  if (needed === null) return caller.principal.type === 'system' ? { item, inbox } : fault('forbidden');
  const problem = principalModeFault(caller.principal);
  if (problem !== null) return problem;
  const { access } = caller.principal;
  const lacking =
    typeof needed === 'string'
      ? access.can('inbox', item.inbox, needed)
        ? undefined
        : needed
      : needed.find((verb) => !access.can('inbox', item.inbox, verb));
  return lacking === undefined
    ? { item, inbox }
    : fault('forbidden', `Your role does not allow ${lacking} in the inbox ${item.inbox}.`);
};

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
