/** Priorities of items: which an inbox has, and how an item gets one. For lists, and for the operations that set priorities. */
import type { InboxDefinition } from '../app/manifest/definition.ts';
import { fault, invalidAt } from '../catalogue/errors.ts';
import { usualPriority } from '../catalogue/states.ts';
import type { Item } from './model.ts';
import type { EntryDraft, ItemDecision } from './operation.ts';

type Priorities = Pick<InboxDefinition, 'name' | 'priorities' | 'retiredPriorities'>;

/** Returns the priorities that items of inboxes may have, also those that are not declared any more. */
export const prioritiesOf = (inboxes: readonly Priorities[]): ReadonlySet<string> =>
  new Set(inboxes.flatMap(({ priorities, retiredPriorities }) => [...priorities, ...retiredPriorities]));

/** Returns the priority of a new item: the usual one, or the middle one where the inbox lacks that; of two in the middle the less urgent. */
export const firstPriority = ({ priorities }: Pick<Priorities, 'priorities'>): string =>
  priorities.includes(usualPriority) ? usualPriority : (priorities[Math.floor(priorities.length / 2)] ?? usualPriority);

/** Returns the entry of a member that is put right. */
export const editedEntry = (member: keyof Item, from: unknown, to: unknown): EntryDraft => ({
  type: 'edited',
  data: { member, from, to },
});

/** Decides about another priority of an item. Items leave a retired priority freely; no item gets one. */
export const decidePriority = (item: Item, inbox: Priorities, priority: string): ItemDecision => {
  if (item.priority === priority) return 'unchanged';
  if (!inbox.priorities.includes(priority))
    return inbox.retiredPriorities.includes(priority) && priority !== usualPriority
      ? fault('conflict', `The priority ${priority} of ${inbox.name} is not in use any more.`)
      : invalidAt('priority', `must be one of ${inbox.priorities.join(', ')}`);
  return { item: { ...item, priority }, entries: [editedEntry('priority', item.priority, priority)] };
};
