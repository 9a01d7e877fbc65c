/**
 * The rules of claims: a claim is a lease on the work on an item, and a delegate is the agent that works on it. Decides whether an agent
 * may change the item beside them, and over what it has not read (seen.ts). For perform/, shared/runs and shared/bulk.
 */
import type { Caller } from '../accounts/access/principal.ts';
import type { InboxDefinition } from '../app/manifest/definition.ts';
import { fault, type Fault } from '../catalogue/errors.ts';
import type { ActorRef, ItemClaim } from '../catalogue/events.ts';
import type { InboxVerb } from '../catalogue/permissions.ts';
import type { Warning } from '../platform/json/schema.ts';
import type { Item } from './model.ts';
import { unseenFault, type Knowledge } from './seen.ts';

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

/** An agent needs no claim for these: they stand beside whoever works on an item. */
const besideVerbs: readonly InboxVerb[] = ['note', 'tags'];
/** An agent reads the item before these, and before an action, which counts as `claim`. */
const readFirst: readonly InboxVerb[] = ['state', 'reply', 'claim'];

/** A change that an agent asks for. */
interface Work {
  /** The verbs that the change needs; `claim` for an action that names the item. */
  readonly needed: InboxVerb | readonly InboxVerb[] | null;
  readonly known: Knowledge | null;
  readonly at: number;
}

/** Returns why a change of the item needs a claim that its agent does not have; null: it has the claim, or needs none. */
const unclaimedFault = (
  { principal: { id } }: Caller,
  item: Pick<Item, 'claim' | 'delegate'>,
  verbs: readonly InboxVerb[],
  at: number,
): Fault | null => {
  if (verbs.every((verb) => besideVerbs.includes(verb))) return null;
  const claim = liveClaim(item, at);
  if (claim !== null && claim.by.id !== id) return claimedFault(claim);
  if (item.delegate !== null && item.delegate !== id) return delegatedFault(item.delegate);
  return claim === null ? fault('claim_required') : null;
};

/** Returns what an agent's change lacks, each with how strict the inbox is about it; nothing for others, and for what a person has approved. */
const lacking = (caller: Caller, { claims, unseen }: InboxDefinition, item: Item, { needed, known, at }: Work) => {
  if (caller.principal.type !== 'agent' || caller.approvedBy !== undefined) return [];
  const verbs = [needed ?? []].flat();
  const isRead = verbs.some((verb) => readFirst.includes(verb));
  return [
    { rule: claims, problem: unclaimedFault(caller, item, verbs, at) },
    { rule: unseen, problem: isRead ? unseenFault(known) : null },
  ];
};

/** Returns the fault of an agent's change without a claim, or over what it has not read, where the inbox refuses that; or null. */
export const workFault = (caller: Caller, inbox: InboxDefinition, item: Item, work: Work): Fault | null =>
  lacking(caller, inbox, item, work).find(
    ({ rule, problem }) => problem !== null && (rule === 'enforce' || rule === 'refuse'),
  )?.problem ?? null;

/** Returns what an agent is warned of where the inbox only advises. */
export const workWarnings = (caller: Caller, inbox: InboxDefinition, item: Item, work: Work): readonly Warning[] =>
  lacking(caller, inbox, item, work).flatMap(({ rule, problem }) =>
    problem !== null && (rule === 'advise' || rule === 'warn')
      ? [{ code: problem.code, message: problem.message }]
      : [],
  );
