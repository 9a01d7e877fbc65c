/** Restores the values that a change has replaced. Performed by the undo of a bulk, and of one change of an item. */
import { eachEdited, editedNames, type EditedName } from '../../app/items/members.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { Fault, fault, invalidAt } from '../../catalogue/errors.ts';
import type { InboxVerb } from '../../catalogue/permissions.ts';
import { Type } from '../../platform/json/schema.ts';
import { decideLinkChange, isSameRecord } from '../links.ts';
import type { Item, RecordRef } from '../model.ts';
import {
  decideInTurn,
  defineItemOperation,
  type DecisionContext,
  type EntryDraft,
  type ItemDecision,
  type ItemOperation,
} from '../operation.ts';
import { changeTags } from '../tags.ts';
import { editedEntry, updateItem, updateVerbs, type UpdateInput } from './update.ts';

/** The members of one item that a change replaced, before and after. */
export interface PreviousValues {
  readonly before: Partial<Item>;
  readonly after: Partial<Item>;
}

export type RestoreVerb = Extract<InboxVerb, 'state' | 'assign' | 'tags' | 'snooze'>;

/** The only fault that bulks count as the outcome `conflict` (perform/perform.ts). */
export const changedSinceFault = fault('conflict', 'The item has been changed since.');

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

type RestoredValue = 'state' | 'assignee' | 'delegate' | 'snoozedUntil' | EditedName;
type EntryOf = (from: Item[RestoredValue], to: Item[RestoredValue]) => EntryDraft;

/** The members that are given back as values: the verb that each needs, and its entry. */
const values: Readonly<Record<RestoredValue, { readonly verb: InboxVerb; readonly entry: EntryOf }>> = {
  state: { verb: 'state', entry: (from, to) => ({ type: 'state', data: { from, to } }) },
  assignee: { verb: 'assign', entry: (from, to) => ({ type: 'assigned', data: { from, to } }) },
  delegate: { verb: 'assign', entry: (from, to) => ({ type: 'delegated', data: { from, to } }) },
  snoozedUntil: {
    verb: 'snooze',
    entry: (from, to) => (to === null ? { type: 'woken', data: { from } } : { type: 'snoozed', data: { from, to } }),
  },
  ...eachEdited((name) => ({ verb: 'edit' as const, entry: (from, to) => editedEntry(name, from, to) })),
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
const valueMembers = Object.keys(values) as RestoredValue[];

/** Restores the values of `members`, and what was changed together with them where nobody has changed it since; tags and links stay. */
const restoreValues = (
  members: readonly RestoredValue[],
  item: Item,
  inbox: InboxDefinition,
  { before, after }: PreviousValues,
): ItemDecision => {
  if (members.some((member) => item[member] !== after[member])) return changedSinceFault;
  const [present, changed]: Readonly<Record<string, unknown>>[] = [{ ...item }, { ...after }];
  const untouched = Object.entries(before).filter(
    ([name]) =>
      name !== 'tags' && name !== 'links' && JSON.stringify(present?.[name]) === JSON.stringify(changed?.[name]),
  );
  const back: Item = { ...item, ...Object.fromEntries(untouched) };
  const state = back.state;
  if (inbox.retired || !inbox.states.some((known) => known.name === state))
    return fault('conflict', `The state ${state} is not in use any more.`);
  return {
    item: { ...back, closed: inbox.isClosed(state) },
    entries: members.map((member) => values[member].entry(item[member], back[member])),
  };
};

/** Takes back the links that the change added, and adds those that it removed. */
const restoreLinks = (item: Item, { before, after }: PreviousValues, moment: DecisionContext): ItemDecision => {
  const [had, got] = [before.links ?? [], after.links ?? []];
  const lacks = (links: readonly RecordRef[], ref: RecordRef): boolean =>
    !links.some((other) => isSameRecord(other, ref));
  const remove = got.filter((ref) => lacks(had, ref));
  const add = had.filter((ref) => lacks(got, ref));
  if (remove.some((ref) => lacks(item.links, ref)) || add.some((ref) => !lacks(item.links, ref)))
    return changedSinceFault;
  return decideLinkChange(item, { add, remove }, moment);
};

/** Restores all that an update with `needed` changed, or nothing of it. */
const restoreUpdate = (
  item: Item,
  inbox: InboxDefinition,
  former: PreviousValues,
  { needed, moment }: { readonly needed: readonly InboxVerb[]; readonly moment: DecisionContext },
): ItemDecision => {
  const { before } = former;
  const members = valueMembers.filter(
    (member) => needed.includes(values[member].verb) && Object.hasOwn(before, member),
  );
  return decideInTurn(item, [
    ...(members.length === 0 ? [] : [(present: Item) => restoreValues(members, present, inbox, former)]),
    ...(before.tags === undefined ? [] : [(present: Item) => restoreTags(present, former)]),
    ...(before.links === undefined ? [] : [(present: Item) => restoreLinks(present, former, moment)]),
  ]);
};

const defineRestore = (
  name: ItemOperation['name'],
  verb: InboxVerb | (() => readonly InboxVerb[]),
  restore: (item: Item, inbox: InboxDefinition, former: PreviousValues, moment: DecisionContext) => ItemDecision,
): ItemOperation<ReadonlyMap<string, PreviousValues>> =>
  defineItemOperation({
    name,
    verb,
    input: Type.Unsafe<ReadonlyMap<string, PreviousValues>>({}),
    needsReason: () => false,
    decide: (item, inbox, formers, moment) => {
      const former = formers.get(item.id);
      return former === undefined ? 'unchanged' : restore(item, inbox, former, moment);
    },
  });

/** Returns the operation that undoes a bulk of `verb`; its input is the values that the bulk changed, by item id. */
export const restoreItem = (verb: RestoreVerb): ItemOperation<ReadonlyMap<string, PreviousValues>> =>
  defineRestore(`item.${verb}`, verb, (item, inbox, former) => {
    if (verb === 'tags') return restoreTags(item, former);
    const members = valueMembers.filter(
      (member) => values[member].verb === verb && Object.hasOwn(former.before, member),
    );
    return members.length === 0 ? 'unchanged' : restoreValues(members, item, inbox, former);
  });

/** Returns the operation that undoes a bulk of updates with this input. */
export const restoreUpdated = (input: UpdateInput): ItemOperation<ReadonlyMap<string, PreviousValues>> =>
  defineRestore(
    'item.update',
    () => updateVerbs(input),
    (item, inbox, former, moment) => restoreUpdate(item, inbox, former, { needed: updateVerbs(input), moment }),
  );

/** What one change of an item replaced. */
interface FormerValues extends PreviousValues {
  /** Whether it closed the item, which ends a snooze. */
  readonly closes: boolean;
}

/** Returns the verbs that giving the values back needs. */
const neededVerbs = ({ before, closes }: FormerValues): InboxVerb[] => [
  ...valueMembers
    .filter((member) => before[member] !== undefined && !(member === 'snoozedUntil' && closes))
    .map((member) => values[member].verb),
  ...(before.tags === undefined ? [] : (['tags'] as const)),
  ...(before.links === undefined ? [] : (['note'] as const)),
];

/** Thrown for an entry of another kind, or of another item. */
export const notUndone = invalidAt(
  'undo',
  `must be an entry of a change of this item’s ${['state', ...editedNames].join(', ')}, assignee, delegate, tags, snooze or links; what came with a reply or a run is changed back by a change of its own`,
);

/** Returns whether all records of a change of links are seen; else its entry is not there for the caller. */
const seesLinks = ({ before, after }: PreviousValues, { seesResource }: DecisionContext): boolean => {
  const [had, got] = [before.links ?? [], after.links ?? []];
  const differs = (links: readonly RecordRef[]) => (ref: RecordRef) => !links.some((other) => isSameRecord(other, ref));
  return [...had.filter(differs(got)), ...got.filter(differs(had))].every(({ resource }) => seesResource(resource));
};

/** Returns the update that undoes one change of an item; a fault: why there is nothing to undo. */
export const undoUpdate = (former: FormerValues | Fault): ItemOperation<UpdateInput> => {
  const needed = former instanceof Fault ? [] : neededVerbs(former);
  return {
    ...updateItem,
    verb: () => needed,
    needsReason: () => false,
    decide: (item, inbox, _input, moment) =>
      former instanceof Fault
        ? former
        : needed.length === 0 || !seesLinks(former, moment)
          ? notUndone
          : restoreUpdate(item, inbox, former, { needed, moment }),
  };
};
