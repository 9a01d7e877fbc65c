/** What an inbox allows: the states that an item may enter, and how that changes it, and its priorities. For lists, and for the operations that set them. */
import type { InboxDefinition } from '../app/manifest/definition.ts';
import { type Fault, fault, invalidAt } from '../catalogue/errors.ts';
import { usualPriority } from '../catalogue/states.ts';
import type { Item } from './model.ts';

type Priorities = Pick<InboxDefinition, 'name' | 'priorities' | 'retiredPriorities'>;

/** Returns the priorities that items of inboxes may have, also those that are not declared any more. */
export const prioritiesOf = (inboxes: readonly Priorities[]): ReadonlySet<string> =>
  new Set(inboxes.flatMap(({ priorities, retiredPriorities }) => [...priorities, ...retiredPriorities]));

/** Returns the priority of a new item: the usual one, or the middle one where the inbox lacks that; of two in the middle the less urgent. */
export const firstPriority = ({ priorities }: Pick<Priorities, 'priorities'>): string =>
  priorities.includes(usualPriority) ? usualPriority : (priorities[Math.floor(priorities.length / 2)] ?? usualPriority);

/** Returns why no item can get this priority, or null. Items leave a retired priority freely. */
export const priorityProblem = (inbox: Priorities, priority: string): Fault | null => {
  if (inbox.priorities.includes(priority)) return null;
  return inbox.retiredPriorities.includes(priority) && priority !== usualPriority
    ? fault('conflict', `The priority ${priority} of ${inbox.name} is not in use any more.`)
    : invalidAt('priority', `must be one of ${inbox.priorities.join(', ')}`);
};

/** Returns the names of the states of inboxes, also of those that are not declared any more. */
export const statesOf = (inboxes: readonly InboxDefinition[]): ReadonlySet<string> =>
  new Set(inboxes.flatMap(({ states, retiredStates }) => [...states, ...retiredStates].map(({ name }) => name)));

/** Returns the item in `state`. Closing clears deadline and snooze; opening a closed item gives it a new deadline. */
export const withState = (item: Item, inbox: InboxDefinition, state: string, at: number): Item => {
  const closed = inbox.isClosed(state);
  if (closed) return { ...item, state, closed, dueAt: null, snoozedUntil: null };
  if (!item.closed) return { ...item, state, closed };
  return {
    ...item,
    state,
    closed,
    dueAt: inbox.responseTime === null ? null : at + inbox.responseTime,
    triaged: false,
  };
};

/** Returns why the item can't enter `state`, or null. Items leave a retired state freely; no item enters one. */
export const stateEntryProblem = (item: Item, inbox: InboxDefinition, state: string): Fault | null => {
  const names = inbox.states.map((known) => known.name);
  if (inbox.retired || (!names.includes(state) && inbox.stateOf(state) !== undefined)) {
    return fault('conflict', `The state ${state} of ${inbox.name} is not in use any more.`);
  }
  if (!names.includes(state)) return invalidAt('state', `must be one of ${names.join(', ')}`);
  const { transitions } = inbox;
  // A state may have the name of a member of every object.
  const isListed = transitions !== null && names.includes(item.state) && Object.hasOwn(transitions, item.state);
  const reachable = isListed ? transitions[item.state] : undefined;
  if (inbox.transitions === null || !names.includes(item.state) || reachable?.includes(state) === true) return null;
  const list = reachable ?? [];
  return fault(
    'invalid_transition',
    `From ${item.state} this item can go to ${list.length === 0 ? 'no other state' : list.join(', ')}.`,
    {
      details: list.map((name) => ({ path: 'state', message: name })),
    },
  );
};
