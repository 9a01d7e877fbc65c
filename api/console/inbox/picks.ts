/** What one chooses from when one changes items: states, people and times. Used by ItemPicker and SelectionPicker. */
import type { EditedName } from '../../../shared/app/items/members.ts';
import type { Names } from '../content/names.ts';
import type { Option } from '../ui/PickerDialog.tsx';
import { whenTime } from '../ui/time.ts';
import { daysLaterAt, weekday } from '../ui/wallTime.ts';
import type { Inbox, Item } from '../wire/types.ts';
import type { Change } from './change.ts';
import { dialogTexts } from './dialogTexts.ts';
import { editedMembers, isReachable } from './filter.ts';
import { inboxTexts } from './texts.tsx';

export const assignChange = (item: Item, assignee: string | null, nameOf: (id: string | null) => string): Change => {
  const said = (id: string | null): string => (id === null ? dialogTexts.unassigned : dialogTexts.assigned(nameOf(id)));
  return {
    done: said(assignee),
    told: (now) => said(now.assignee),
    patch: { assignee },
    shows: { assignee },
    touches: ['assignee'],
    undo: { done: said(item.assignee), shows: { assignee: item.assignee } },
  };
};

export const editedChange = <M extends EditedName>(item: Item, member: M, value: Item[M]): Change => {
  const { is } = inboxTexts.edited[member];
  const told = (now: Item): string => is(String(now[member]));
  return {
    done: is(String(value)),
    told,
    patch: { [member]: value },
    shows: { [member]: value },
    touches: [member],
    undo: { done: told(item), shows: { [member]: item[member] } },
  };
};

export const tagChange = (item: Item, tag: string): Change => {
  const has = item.tags.includes(tag);
  const without = item.tags.filter((each) => each !== tag);
  const [gone, there] = [{ tags: without }, { tags: [...without, tag].sort() }];
  return {
    done: has ? dialogTexts.tagRemoved(tag) : dialogTexts.tagAdded(tag),
    told: (now) => dialogTexts.tagsAre(now.tags),
    patch: { tags: has ? { remove: [tag] } : { add: [tag] } },
    shows: has ? gone : there,
    touches: [],
    undo: has
      ? { done: dialogTexts.tagAddedAgain(tag), shows: there }
      : { done: dialogTexts.tagRemovedAgain(tag), shows: gone },
  };
};

export const snoozeChange = (item: Item, until: number | null): Change => {
  const said = (at: number | null): string => (at === null ? dialogTexts.woken : dialogTexts.snoozed(whenTime(at)));
  const { snoozedUntil } = item;
  return {
    done: said(until),
    told: (now) => said(now.snoozedUntil),
    patch: { snooze: until },
    shows: { snoozedUntil: until },
    touches: ['snoozedUntil'],
    undo: {
      done: snoozedUntil === null ? dialogTexts.snoozeUndone : dialogTexts.snoozedAgain(whenTime(snoozedUntil)),
      shows: { snoozedUntil },
    },
  };
};

/** Returns the usual times to be reminded at, in the person's own zone. */
const snoozePresets = (now: number): readonly { readonly label: string; readonly at: number }[] => {
  const { snoozes } = dialogTexts;
  const toMonday = (8 - weekday(now)) % 7 || 7;
  const presets = [
    { label: snoozes.hour, at: now + 3_600_000 },
    { label: snoozes.fourHours, at: now + 4 * 3_600_000 },
    { label: snoozes.tomorrow, at: daysLaterAt(now, 1, 9) },
    { label: snoozes.monday, at: daysLaterAt(now, toMonday, 9) },
    { label: snoozes.twoWeeks, at: daysLaterAt(now, 14, 9) },
  ];
  // On a Sunday, tomorrow is next Monday.
  return presets.filter(({ at }, place) => presets.findIndex((each) => each.at === at) === place);
};

/** `isEnd`: the closed ones alone. */
export const statePicks = (inbox: Inbox, item: Item, isEnd: boolean): Option[] =>
  inbox.states
    .filter(({ kind }) => !isEnd || kind === 'closed')
    .map(({ name, kind, description }) => ({
      id: name,
      label: name,
      hint: description ?? kind,
      isOn: name === item.state,
      why: isReachable(inbox, item, name) ? null : dialogTexts.notFrom(item.state),
    }));

export const editedPicks = (inbox: Inbox, item: Item, member: EditedName): Option[] =>
  editedMembers[member]
    .values(inbox)
    .map((value) => ({ id: String(value), label: String(value), isOn: value === item[member] }));

/** `assignee`: who has it now; undefined: several items. The id of nobody is empty. */
export const assignPicks = (names: Names, assignee: string | null | undefined): Option[] => [
  ...(names.me === null
    ? []
    : [{ id: names.me, label: inboxTexts.me, hint: names.of(names.me), isOn: assignee === names.me }]),
  { id: '', label: inboxTexts.nobody, isOn: assignee === null },
  ...names.people
    .filter(({ id, canWork }) => canWork && id !== names.me)
    .map(({ id, name, openItems }) => ({
      id,
      label: name,
      hint: dialogTexts.openItems(openItems),
      isOn: assignee === id,
    })),
];

/** The id of waking is empty, of the others the time. */
export const snoozePicks = (canWake: boolean): Option[] => [
  ...(canWake ? [{ id: '', label: dialogTexts.wakeNow }] : []),
  ...snoozePresets(Date.now()).map(({ label, at }) => ({ id: String(at), label, hint: whenTime(at) })),
];

export const typedTag = (text: string): Option | null =>
  text.includes(',') ? null : { id: text, label: text, hint: dialogTexts.newTag };
