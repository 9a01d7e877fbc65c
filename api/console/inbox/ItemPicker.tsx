/** The dialogs in which one chooses what an item becomes: its state, person, tags and snooze. Loaded by useItemCommands. */
import { useQuery } from '@tanstack/react-query';
import type { Names } from '../content/names.ts';
import { useSession } from '../shell/session.ts';
import { afterPaint } from '../ui/afterPaint.ts';
import type { Option } from '../ui/option.ts';
import { Picker } from '../ui/Picker.tsx';
import { tagsQuery } from '../wire/queries.ts';
import type { Inbox, Item } from '../wire/types.ts';
import type { Change } from './change.ts';
import { assignChange, snoozeChange, tagChange } from './changes.ts';
import { assignPicks, snoozePicks, statePicks, typedTag } from './picks.ts';
import { pickTexts } from './pickTexts.ts';
import { typedTime } from './typedTime.ts';

export interface ItemPickerProps {
  /** close: the state, of the closed ones. */
  readonly what: 'close' | 'state' | 'assign' | 'tags' | 'snooze';
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

export const ItemPicker = ({ what, item, inbox, names, onState, onChange, onLeft, onClose }: ItemPickerProps) => {
  const { http } = useSession();
  const tags = useQuery({ ...tagsQuery(http, inbox.name), enabled: what === 'tags' });
  if (what === 'state' || what === 'close')
    return (
      <Picker
        title={what === 'close' ? pickTexts.closeAs : pickTexts.setState}
        placeholder={pickTexts.setStateTo}
        options={statePicks(inbox, item, what === 'close')}
        none={pickTexts.noState}
        onPick={({ id }) => onState(id)}
        onClose={onClose}
      />
    );
  if (what === 'assign')
    return (
      <Picker
        title={pickTexts.assign}
        placeholder={pickTexts.assignTo}
        options={assignPicks(names, item.assignee)}
        none={pickTexts.noPerson}
        onPick={({ id }) => onChange(assignChange(item, id === '' ? null : id, names.of))}
        onClose={onClose}
      />
    );
  if (what === 'tags')
    return (
      <Picker
        title={pickTexts.tags}
        placeholder={pickTexts.changeTags}
        options={tagPicks(item, tags.data ?? [])}
        none={pickTexts.noTag}
        make={typedTag}
        stays
        onPick={({ id }) => onChange(tagChange(item, id))}
        onClose={onClose}
      />
    );
  return (
    <Picker
      title={pickTexts.snooze}
      placeholder={pickTexts.snoozeUntil}
      options={snoozePicks(item.snoozedUntil !== null)}
      none={pickTexts.noTime}
      make={(text) => typedTime(text)}
      onPick={({ id }) => {
        onChange(snoozeChange(item, id === '' ? null : Number(id)));
        if (id !== '') afterPaint(onLeft);
      }}
      onClose={onClose}
    />
  );
};
