/** The dialogs in which one chooses what an item becomes: its state, priority, person, tags and snooze. Loaded by useItemCommands. */
import type { ComponentProps } from 'react';
import type { EditedName } from '../../../shared/app/items/members.ts';
import type { Names } from '../content/names.ts';
import { useRead } from '../shell/session.ts';
import { Picker } from '../ui/lazy.tsx';
import type { Option } from '../ui/PickerDialog.tsx';
import { tagsQuery } from '../wire/queries.ts';
import type { Inbox, Item } from '../wire/types.ts';
import { type Change, afterPaint } from './change.ts';
import { dialogTexts } from './dialogTexts.ts';
import { eachEdited, editedMembers } from './filter.ts';
import {
  assignChange,
  assignPicks,
  editedChange,
  editedPicks,
  snoozeChange,
  snoozePicks,
  statePicks,
  tagChange,
  typedTag,
} from './picks.ts';
import { inboxTexts } from './texts.tsx';
import { typedTime } from './typedTime.ts';

export interface ItemPickerProps {
  /** close: the state, of the closed ones. */
  readonly what: 'close' | 'state' | EditedName | 'assign' | 'tags' | 'snooze';
  readonly item: Item;
  readonly inbox: Inbox;
  readonly names: Names;
  readonly onState: (state: string) => void;
  readonly onChange: (change: Change) => void;
  /** Called after the item was snoozed. */
  readonly onLeft: () => void;
  readonly onClose: () => void;
}

const tagPicks = (item: Item, known: readonly { tag: string; count: number }[]): Option[] => [
  ...item.tags.map((tag) => ({ id: tag, label: tag, isOn: true })),
  ...known
    .filter(({ tag }) => !item.tags.includes(tag))
    .map(({ tag, count }) => ({ id: tag, label: tag, hint: String(count) })),
];

type Picking = Omit<ComponentProps<typeof Picker>, 'onClose'>;

export const ItemPicker = ({ what, item, inbox, names, onState, onChange, onLeft, onClose }: ItemPickerProps) => {
  const tags = useRead((http) => ({ ...tagsQuery(http, inbox.name), enabled: what === 'tags' }));
  const states = (title: string, isEnd: boolean): Picking => ({
    title,
    placeholder: dialogTexts.setStateTo,
    options: statePicks(inbox, item, isEnd),
    none: dialogTexts.noState,
    onPick: ({ id }) => onState(id),
  });
  const editedPicking = (name: EditedName): Picking => ({
    title: inboxTexts.edited[name].label,
    placeholder: inboxTexts.edited[name].set,
    options: editedPicks(inbox, item, name),
    none: inboxTexts.edited[name].none,
    onPick: ({ id }) => {
      const value = editedMembers[name].values(inbox).find((each) => String(each) === id);
      if (value !== undefined && value !== item[name]) onChange(editedChange(item, name, value));
    },
  });
  const pickings: Readonly<Record<ItemPickerProps['what'], () => Picking>> = {
    ...eachEdited((name) => () => editedPicking(name)),
    close: () => states(dialogTexts.closeAs, true),
    state: () => states(dialogTexts.setState, false),
    assign: () => ({
      title: dialogTexts.assign,
      placeholder: dialogTexts.assignTo,
      options: assignPicks(names, item.assignee),
      none: dialogTexts.noPerson,
      onPick: ({ id }) => onChange(assignChange(item, id === '' ? null : id, names.of)),
    }),
    tags: () => ({
      title: dialogTexts.tags,
      placeholder: dialogTexts.changeTags,
      options: tagPicks(item, tags.data ?? []),
      none: dialogTexts.noTag,
      make: typedTag,
      stays: true,
      onPick: ({ id }) => onChange(tagChange(item, id)),
    }),
    snooze: () => ({
      title: dialogTexts.snooze,
      placeholder: dialogTexts.snoozeUntil,
      options: snoozePicks(item.snoozedUntil !== null),
      none: dialogTexts.noTime,
      make: (text) => typedTime(text),
      onPick: ({ id }) => {
        onChange(snoozeChange(item, id === '' ? null : Number(id)));
        if (id !== '') afterPaint(onLeft);
      },
    }),
  };
  return <Picker {...pickings[what]()} onClose={onClose} />;
};
