/** What one chooses from when one changes items: states, people and times. Used by ItemPicker and SelectionPicker. */
import type { Names } from '../content/names.ts';
import type { Option } from '../ui/option.ts';
import { whenTime } from '../ui/time.ts';
import type { Inbox, Item } from '../wire/types.ts';
import { snoozePresets } from './changes.ts';
import { isReachable } from './filter.ts';
import { pickTexts } from './pickTexts.ts';

/** `isEnd`: the closed ones alone. */
export const statePicks = (inbox: Inbox, item: Item, isEnd: boolean): Option[] =>
  inbox.states
    .filter(({ kind }) => !isEnd || kind === 'closed')
    .map(({ name, kind, description }) => ({
      id: name,
      label: name,
      hint: description ?? kind,
      isOn: name === item.state,
      why: isReachable(inbox, item, name) ? null : pickTexts.notFrom(item.state),
    }));

/** `assignee`: who has it now; undefined: several items. The id of nobody is empty. */
export const assignPicks = (names: Names, assignee: string | null | undefined): Option[] => [
  ...(names.me === null
    ? []
    : [{ id: names.me, label: pickTexts.me, hint: names.of(names.me), isOn: assignee === names.me }]),
  { id: '', label: pickTexts.nobody, isOn: assignee === null },
  ...names.people
    .filter(({ id, canWork }) => canWork && id !== names.me)
    .map(({ id, name, openItems }) => ({
      id,
      label: name,
      hint: pickTexts.openItems(openItems),
      isOn: assignee === id,
    })),
];

/** The id of waking is empty, of the others the time. */
export const snoozePicks = (canWake: boolean): Option[] => [
  ...(canWake ? [{ id: '', label: pickTexts.wakeNow }] : []),
  ...snoozePresets(Date.now()).map(({ label, at }) => ({ id: String(at), label, hint: whenTime(at) })),
];

export const typedTag = (text: string): Option | null =>
  text.includes(',') ? null : { id: text, label: text, hint: pickTexts.newTag };
