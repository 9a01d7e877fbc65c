/** Commands on the open item, by key and by button, with the same rights. Used by InboxPage. */
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Names } from '../content/names.ts';
import { useSession } from '../shell/session.ts';
import { afterPaint } from '../ui/afterPaint.ts';
import { Ask } from '../ui/Ask.tsx';
import type { Option } from '../ui/option.ts';
import { Picker } from '../ui/Picker.tsx';
import { tagsQuery } from '../wire/queries.ts';
import type { Inbox, Item } from '../wire/types.ts';
import { changeItem, type Change } from './change.ts';
import { assignChange, snoozeChange, stateChange, tagChange, withReason } from './changes.ts';
import { assignPicks, snoozePicks, statePicks, typedTag, typedTime } from './picks.ts';

type Open = 'state' | 'assign' | 'tags' | 'snooze';

export interface ItemCommands {
  /** Whether the role may; what it may not has no control. */
  readonly may: (verb: string) => boolean;
  readonly close: () => void;
  readonly open: (what: Open) => void;
  /** The dialog that is open now. */
  readonly dialog: ReactNode;
}

interface Options {
  readonly item: Item | undefined;
  readonly inbox: Inbox | undefined;
  readonly names: Names;
  /** Called after the item was closed or snoozed. */
  readonly onLeft: () => void;
}

const tagPicks = (item: Item, known: readonly { tag: string; count: number }[]): Option[] => [
  ...item.tags.map((tag) => ({ id: tag, label: tag, isOn: true })),
  ...known
    .filter(({ tag }) => !item.tags.includes(tag))
    .map(({ tag, count }) => ({ id: tag, label: tag, hint: String(count) })),
];

export const useItemCommands = ({ item, inbox, names, onLeft }: Options): ItemCommands => {
  const session = useSession();
  const [opened, setOpened] = useState<Open | null>(null);
  const may = (verb: string): boolean => inbox?.can.includes(verb) === true;
  const tags = useQuery({
    ...tagsQuery(session.http, inbox?.name ?? ''),
    enabled: opened === 'tags' && inbox !== undefined,
  });
  /** The change that waits for its reason, with its item: another may be open by then. */
  const [asking, setAsking] = useState<{ readonly item: Item; readonly change: Change } | null>(null);
  const make = (change: Change): void => {
    if (item === undefined) return;
    if (inbox?.reasonRequired === true) setAsking({ item, change });
    else changeItem(session, item, change);
  };
  const shut = (): void => setOpened(null);
  const toState = (state: string): void => {
    if (item === undefined || item.state === state) return;
    make(stateChange(item, state));
    if (inbox?.states.find(({ name }) => name === state)?.kind === 'closed') afterPaint(onLeft);
  };
  const close = (): void => {
    if (item === undefined || inbox === undefined || !may('state')) return;
    const reachable = statePicks(inbox, item).filter(
      ({ id, why }) =>
        typeof why !== 'string' && inbox.states.some(({ name, kind }) => name === id && kind === 'closed'),
    );
    const [only, ...others] = reachable;
    if (only !== undefined && others.length === 0) toState(only.id);
    else setOpened('state');
  };
  const verbOf = { state: 'state', assign: 'assign', tags: 'tags', snooze: 'snooze' } as const;
  const dialogs: Record<Open, (shown: Item, of: Inbox) => ReactNode> = {
    state: (shown, of) => (
      <Picker
        title="Set state"
        placeholder="Set state to…"
        options={statePicks(of, shown)}
        none="This inbox has no such state."
        onPick={({ id }) => toState(id)}
        onClose={shut}
      />
    ),
    assign: (shown) => (
      <Picker
        title="Assign"
        placeholder="Assign to…"
        options={assignPicks(names, shown.assignee)}
        none="Nobody of this name works here."
        onPick={({ id }) => make(assignChange(shown, id === '' ? null : id, names.of))}
        onClose={shut}
      />
    ),
    tags: (shown) => (
      <Picker
        title="Tags"
        placeholder="Add or remove tags…"
        options={tagPicks(shown, tags.data ?? [])}
        none="Type a tag to make it."
        make={typedTag}
        stays
        onPick={({ id }) => make(tagChange(shown, id))}
        onClose={shut}
      />
    ),
    snooze: (shown) => (
      <Picker
        title="Snooze"
        placeholder="Snooze until… (a time, or 2026-12-24 09:00)"
        options={snoozePicks(shown.snoozedUntil !== null)}
        none="Type a date such as 2026-12-24 09:00."
        make={typedTime}
        onPick={({ id }) => {
          make(snoozeChange(shown, id === '' ? null : Number(id)));
          if (id !== '') afterPaint(onLeft);
        }}
        onClose={shut}
      />
    ),
  };
  return {
    may,
    close,
    open: (what) => {
      if (item !== undefined && may(verbOf[what])) setOpened(what);
    },
    dialog:
      asking !== null ? (
        <Ask
          title={`${asking.change.done}: why?`}
          about="This inbox wants a reason for every change. It stands in the history."
          label="Reason"
          deed={asking.change.done}
          onAnswer={(reason) => changeItem(session, asking.item, withReason(asking.change, reason))}
          onClose={() => setAsking(null)}
        />
      ) : opened === null || item === undefined || inbox === undefined ? null : (
        dialogs[opened](item, inbox)
      ),
  };
};
