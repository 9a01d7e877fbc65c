/** Restores the values that a bulk has changed. Performed only by the undo of that bulk. */
import { Fault, fault } from '../../catalogue/errors.ts';
import type { InboxVerb } from '../../catalogue/permissions.ts';
import type { InboxDefinition } from '../../environments/definition.ts';
import { Type } from '../../platform/core/schema.ts';
import type { Item } from '../model.ts';
import { defineItemOperation, type EntryDraft, type ItemDecision } from '../operation.ts';
import { changeTags } from '../tags.ts';

/** The members of one item that a bulk changed, before and after. */
export interface PreviousValues {
  readonly before: Partial<Item>;
  readonly after: Partial<Item>;
}

export type RestoreVerb = Extract<InboxVerb, 'state' | 'assign' | 'tags' | 'snooze'>;

/** The only fault that bulks count as the outcome `conflict` (perform/decide.ts). */
export const changedSinceFault = fault('conflict', 'The item has been changed since the bulk.');

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
  const [present, changed]: Readonly<Record<string, unknown>>[] = [{ ...item }, { ...after }];
  const untouched = Object.entries(before).filter(
    ([name]) => JSON.stringify(present?.[name]) === JSON.stringify(changed?.[name]),
  );
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

/** Returns the operation that undoes a bulk of `verb`; its input is the values that the bulk changed, by item id. */
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
