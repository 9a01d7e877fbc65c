/** What to do to the selected items: the state, the person, the tag or the time. Used by SelectionBar. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Names } from '../content/names.ts';
import { useSession } from '../shell/session.ts';
import type { Option } from '../ui/option.ts';
import { Picker } from '../ui/Picker.tsx';
import { tagsQuery } from '../wire/queries.ts';
import type { Inbox } from '../wire/types.ts';
import type { BulkPick } from './bulkPick.ts';
import { assignPicks, snoozePicks, typedTag, typedTime } from './picks.ts';
import type { Operation } from './usePlan.ts';

interface SelectionPickerProps {
  readonly pick: BulkPick;
  readonly ids: ReadonlySet<string>;
  /** Those of the selected items. */
  readonly inboxes: readonly Inbox[];
  readonly names: Names;
  readonly may: (verb: string) => boolean;
  readonly onChoose: (operation: Operation) => void;
  readonly onClose: () => void;
}

/** The states of any of the inboxes; the dry run says for how many items one can't be. */
const statePicks = (inboxes: readonly Inbox[], isEnd: boolean): Option[] => {
  const states = inboxes.flatMap(({ states }) => states).filter(({ kind }) => !isEnd || kind === 'closed');
  return [...new Map(states.map(({ name, kind }) => [name, { id: name, label: name, hint: kind }])).values()];
};

export const SelectionPicker = ({ pick, ids, inboxes, names, may, onChoose, onClose }: SelectionPickerProps) => {
  const { http, items } = useSession();
  const tags = useQuery({ ...tagsQuery(http, inboxes[0]?.name ?? ''), enabled: pick === 'tags' && inboxes.length > 0 });
  const states = statePicks(inboxes, pick === 'close');
  const [only] = states;
  const isSettled = pick === 'close' && states.length === 1 && only !== undefined;
  const verb = pick === 'close' ? 'state' : pick;
  const settled = useRef(false);
  useEffect(() => {
    if (settled.current || (!isSettled && may(verb))) return;
    settled.current = true;
    if (isSettled && may(verb)) onChoose({ type: 'state', state: only.id });
    onClose();
  });
  if (isSettled || !may(verb)) return null;
  if (verb === 'state')
    return (
      <Picker
        title="Set the state of the selected items"
        placeholder="Set state to…"
        options={states}
        none="These inboxes have no such state."
        onPick={({ id }) => onChoose({ type: 'state', state: id })}
        onClose={onClose}
      />
    );
  if (verb === 'assign')
    return (
      <Picker
        title="Assign the selected items"
        placeholder="Assign to…"
        options={assignPicks(names, undefined)}
        none="Nobody of this name works here."
        onPick={({ id }) => onChoose({ type: 'assign', assignee: id === '' ? null : id })}
        onClose={onClose}
      />
    );
  if (verb === 'snooze')
    return (
      <Picker
        title="Snooze the selected items"
        placeholder="Snooze until… (a time, or 2026-12-24 09:00)"
        options={snoozePicks(true)}
        none="Type a date such as 2026-12-24 09:00."
        make={typedTime}
        onPick={({ id }) => onChoose({ type: 'snooze', until: id === '' ? null : Number(id) })}
        onClose={onClose}
      />
    );
  const present = [...new Set([...ids].flatMap((id) => items.get(id)?.tags ?? []))].sort();
  return (
    <Picker
      title="Tag the selected items"
      placeholder="Add a tag, or remove one…"
      options={[
        ...present.map((tag) => ({ id: `-${tag}`, label: tag, hint: 'remove' })),
        ...[...new Set([...(tags.data ?? []).map(({ tag }) => tag), ...present])].map((tag) => ({
          id: `+${tag}`,
          label: tag,
          hint: 'add',
        })),
      ]}
      none="Type a tag to make it."
      make={(text) => {
        const made = typedTag(text);
        return made === null ? null : { ...made, id: `+${made.id}` };
      }}
      onPick={({ id }) =>
        onChoose({
          type: 'tags',
          add: id.startsWith('+') ? [id.slice(1)] : [],
          remove: id.startsWith('-') ? [id.slice(1)] : [],
        })
      }
      onClose={onClose}
    />
  );
};
