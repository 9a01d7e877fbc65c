/**
 * The rules of claims: a claim is a lease on the work on an item, and a delegate is the agent that works on it. Decides whether an agent
 * may change the item beside them. For perform/ and shared/runs.
 */
import type { Caller } from '../accounts/access/principal.ts';
import type { InboxDefinition } from '../app/manifest/definition.ts';
import { fault, type Fault } from '../catalogue/errors.ts';
import type { ActorRef, ItemClaim } from '../catalogue/events.ts';
import type { InboxVerb } from '../catalogue/permissions.ts';
import type { Warning } from '../platform/json/schema.ts';
import type { Item } from './model.ts';

/** Returns the claim of an item that is not over, or null. */
export const liveClaim = ({ claim }: Pick<Item, 'claim'>, at: number): ItemClaim | null =>
  claim !== null && claim.until > at ? claim : null;

/** Returns `claimed` with who works on the item, and until when, and what the caller can do. */
export const claimedFault = (claim: ItemClaim, caller: ActorRef['type'] = 'agent'): Fault => {
  const { by, until } = claim;
  const advice = caller === 'person' ? 'take it over (takeOver: true), or take another one' : 'take another one';
  return fault('claimed', `${by.name} works on this item; ${advice}.`, {
    details: [
      { path: 'claim.by', message: `${by.type} ${by.id ?? ''}: ${by.name}` },
      { path: 'claim.until', message: new Date(until).toISOString() },
    ],
    body: { claim },
  });
};

export const delegatedFault = (delegate: string): Fault =>
  fault('claimed', 'This item is delegated to another agent; take another one.', {
    details: [{ path: 'delegate', message: delegate }],
  });

/** What an agent may do beside whoever works on an item. */
const besideVerbs: readonly InboxVerb[] = ['note', 'tags'];

type Needed = InboxVerb | readonly InboxVerb[] | null;

/** Returns why a change of the item needs a claim that its agent does not have; null: it has the claim, needs none, or is no agent. */
const lacking = (
  { principal: { type, id }, approvedBy }: Caller,
  item: Pick<Item, 'claim' | 'delegate'>,
  needed: Needed,
  at: number,
): Fault | null => {
  if (type !== 'agent' || approvedBy !== undefined) return null;
  if ([needed ?? []].flat().every((verb) => besideVerbs.includes(verb))) return null;
  const claim = liveClaim(item, at);
  if (claim !== null && claim.by.id !== id) return claimedFault(claim);
  if (item.delegate !== null && item.delegate !== id) return delegatedFault(item.delegate);
  return claim === null ? fault('claim_required') : null;
};

/** Returns the fault of an agent's change where the inbox demands a claim, or null. `needed`: the verbs that the change needs. */
export const claimFault = (
  caller: Caller,
  { claims }: InboxDefinition,
  item: Item,
  needed: Needed,
  at: number,
): Fault | null => (claims === 'enforce' ? lacking(caller, item, needed, at) : null);

/** Returns what an agent is warned of where the inbox advises claims. */
export const claimWarnings = (
  caller: Caller,
  { claims }: InboxDefinition,
  item: Item,
  needed: Needed,
  at: number,
): readonly Warning[] => {
  const problem = claims === 'advise' ? lacking(caller, item, needed, at) : null;
  return problem === null ? [] : [{ code: problem.code, message: problem.message }];
};
