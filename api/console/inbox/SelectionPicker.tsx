/** What to do to the selected items: the state, the person, the tag or the time. Used by SelectionBar. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type ComponentProps } from 'react';
import type { Names } from '../content/names.ts';
import { useSession } from '../shell/session.ts';
import { Picker } from '../ui/lazy.tsx';
import type { Option } from '../ui/PickerDialog.tsx';
import { tagsQuery } from '../wire/queries.ts';
import type { Inbox } from '../wire/types.ts';
import { dialogTexts } from './dialogTexts.ts';
import { assignPicks, snoozePicks, typedTag } from './picks.ts';
import { typedTime } from './typedTime.ts';
import type { Operation } from './usePlan.ts';

/** What one can do to a selection, as keys and buttons name it. */
export type BulkPick = 'close' | 'state' | 'assign' | 'tags' | 'snooze';

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

type Picking = Omit<ComponentProps<typeof Picker>, 'onClose'>;

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
  const tagPicks = (): Option[] => {
    const present = [...new Set([...ids].flatMap((id) => items.get(id)?.tags ?? []))].sort();
    const known = (tags.data ?? []).map(({ tag }) => tag);
    return [
      ...present.map((tag) => ({ id: `-${tag}`, label: tag, hint: dialogTexts.selection.removeTag })),
      ...[...new Set([...known, ...present])].map((tag) => ({
        id: `+${tag}`,
        label: tag,
        hint: dialogTexts.selection.addTag,
      })),
    ];
  };
  const pickings: Readonly<Record<typeof verb, () => Picking>> = {
    state: () => ({
      title: dialogTexts.selection.stateOf,
      placeholder: dialogTexts.setStateTo,
      options: states,
      none: dialogTexts.selection.noState,
      onPick: ({ id }) => onChoose({ type: 'state', state: id }),
    }),
    assign: () => ({
      title: dialogTexts.selection.assignOf,
      placeholder: dialogTexts.assignTo,
      options: assignPicks(names, undefined),
      none: dialogTexts.noPerson,
      onPick: ({ id }) => onChoose({ type: 'assign', assignee: id === '' ? null : id }),
    }),
    snooze: () => ({
      title: dialogTexts.selection.snoozeOf,
      placeholder: dialogTexts.snoozeUntil,
      options: snoozePicks(true),
      none: dialogTexts.noTime,
      make: (text) => typedTime(text),
      onPick: ({ id }) => onChoose({ type: 'snooze', until: id === '' ? null : Number(id) }),
    }),
    tags: () => ({
      title: dialogTexts.selection.tagsOf,
      placeholder: dialogTexts.selection.changeTags,
      options: tagPicks(),
      none: dialogTexts.noTag,
      make: (text) => {
        const made = typedTag(text);
        return made === null ? null : { ...made, id: `+${made.id}` };
      },
      onPick: ({ id }) => {
        const [add, remove] = id.startsWith('+') ? [[id.slice(1)], []] : [[], [id.slice(1)]];
        onChoose({ type: 'tags', add, remove });
      },
    }),
  };
  return <Picker {...pickings[verb]()} onClose={onClose} />;
};
