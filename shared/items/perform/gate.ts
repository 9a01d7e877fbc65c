/** The gate that every change of an item passes at the moment of the effect: the inbox is visible, then the verb allowed. For decide.ts. */
import { findVisibleInbox, principalModeFault } from '../../access/gates.ts';
import type { Caller } from '../../access/principal.ts';
import { fault, type Fault } from '../../catalogue/errors.ts';
import type { InboxVerb } from '../../catalogue/permissions.ts';
import type { InboxDefinition } from '../../environments/definition.ts';
import type { Item } from '../model.ts';

/** Returns the item with its inbox, or the fault that the caller gets. `verb` null: only the service itself may. */
export const gateItemChange = (
  caller: Caller,
  verb: InboxVerb | null,
  item: Item | undefined,
): { item: Item; inbox: InboxDefinition } | Fault => {
  const inbox = item === undefined ? undefined : findVisibleInbox(caller, item.inbox);
  if (item === undefined || inbox === undefined) return fault('not_found');
  if (verb === null) return caller.principal.type === 'system' ? { item, inbox } : fault('forbidden');
  const problem = principalModeFault(caller.principal);
  if (problem !== null) return problem;
  return caller.principal.access.can('inbox', item.inbox, verb)
    ? { item, inbox }
    : fault('forbidden', `Your role does not allow ${verb} in the inbox ${item.inbox}.`);
};
