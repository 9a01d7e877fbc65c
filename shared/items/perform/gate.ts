/** The gate that every change of an item passes at the moment of the effect: the inbox is visible, then the verb allowed. For decide.ts. */
import { findVisibleInbox, principalModeFault } from '../../accounts/access/gates.ts';
import type { Caller } from '../../accounts/access/principal.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { fault, type Fault } from '../../catalogue/errors.ts';
import type { InboxVerb } from '../../catalogue/permissions.ts';
import type { Item } from '../model.ts';

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
