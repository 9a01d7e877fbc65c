/** Gives items back what a bulk changed; performed by the undo of that bulk alone. */
import { Fault, fault } from '../../catalogue/errors.ts';
import type { InboxVerb } from '../../catalogue/permissions.ts';
import { Type } from '../../platform/core/schema.ts';
import type { InboxDefinition } from '../../environments/definition.ts';
import { defineItemOperation, type ItemDecision, type EntryDraft } from '../operation.ts';
import { changeTags } from '../tags.ts';
import type { Item } from '../model.ts';

/** The members that a bulk changed on one item, before and after. */
export interface PreviousValues {
  readonly before: Partial<Item>;
  readonly after: Partial<Item>;
}

export type RestoreVerb = Extract<InboxVerb, 'state' | 'assign' | 'tags' | 'snooze'>;

const changedSinceFault = fault('conflict', 'It has changed since.');

const restoreTags = (item: Item, { before, after }: PreviousValues): ItemDecision => {
  const had = before.tags ?? [];
  const got = after.tags ?? [];
  const added = got.filter((tag) => !had.includes(tag));
  const removed = had.filter((tag) => !got.includes(tag));
  if (added.some((tag) => !item.tags.includes(tag)) || removed.some((tag) => item.tags.includes(tag)))
    return changedSinceFault;
  const change = changeTags(item.tags, removed, added);
  if (change instanceof Fault) return change;
  return {
    item: { ...item, tags: change.tags },
    entries: [{ type: 'tags', data: { add: change.add, remove: change.remove } }],
  };
};

const values: Readonly<
  Record<
    Exclude<RestoreVerb, 'tags'>,
    { readonly member: 'state' | 'assignee' | 'snoozedUntil'; readonly entry: EntryDraft['type'] }
  >
> = {
  state: { member: 'state', entry: 'state' },
  assign: { member: 'assignee', entry: 'assigned' },
  snooze: { member: 'snoozedUntil', entry: 'snoozed' },
};

const restoreValue = (
  verb: Exclude<RestoreVerb, 'tags'>,
  item: Item,
  inbox: InboxDefinition,
  { before, after }: PreviousValues,
): ItemDecision => {
  const { member, entry } = values[verb];
  if (item[member] !== after[member]) return changedSinceFault;
  const untouched = Object.entries(before).filter(([name]) => {
    const key = name as keyof Item;
    return JSON.stringify(item[key]) === JSON.stringify(after[key]);
  });
  const back: Item = { ...item, ...Object.fromEntries(untouched) };
  const state = back.state;
  if (inbox.retired || !inbox.states.some((known) => known.name === state))
    return fault('conflict', `The state ${state} is not in use any more.`);
  const from = item[member];
  const to = back[member];
  const next = { ...back, closed: inbox.isClosed(state) };
  if (verb === 'snooze' && to === null) return { item: next, entries: [{ type: 'woken', data: { from } }] };
  return { item: next, entries: [{ type: entry, data: { from, to } }] };
};

/** The undo of a bulk of `verb`; its input is what the bulk changed, by item id. */
export const restoreItem = (verb: RestoreVerb) =>
  defineItemOperation({
    name: `item.${verb}`,
    verb,
    input: Type.Unsafe<ReadonlyMap<string, PreviousValues>>({}),
    decide: (item, inbox, formers) => {
      const former = formers.get(item.id);
      if (former === undefined) return 'unchanged';
      return verb === 'tags' ? restoreTags(item, former) : restoreValue(verb, item, inbox, former);
    },
  });
