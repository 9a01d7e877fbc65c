/** Commands on the open item, by key and by button, with the same rights. Used by InboxPage. */
import { useState, type ReactNode } from 'react';
import type { Names } from '../content/names.ts';
import { useSession } from '../shell/session.ts';
import { loadedLater, Ask } from '../ui/lazy.tsx';
import type { Inbox, Item } from '../wire/types.ts';
import { type Change, type ShowAgain, afterPaint, changeItem, stateChange, withReason } from './change.ts';
import { closedStates, editedNames, isReachable } from './filter.ts';
import type { ItemPickerProps } from './ItemPicker.tsx';
import { inboxTexts } from './texts.tsx';

type Open = ItemPickerProps['what'];

const ItemPicker = loadedLater(async () => (await import('./ItemPicker.tsx')).ItemPicker);

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
  /** Called when a change of an item failed, and when it was undone. */
  readonly onBack: ShowAgain;
}

export const useItemCommands = ({ item, inbox, names, onLeft, onBack }: Options): ItemCommands => {
  const session = useSession();
  const [opened, setOpened] = useState<Open | null>(null);
  const may = (verb: string): boolean => inbox?.can.includes(verb) === true;
  /** The change that waits for its reason, with its item: another may be open by then. */
  const [asking, setAsking] = useState<{ readonly item: Item; readonly change: Change } | null>(null);
  const make = (change: Change): void => {
    if (item === undefined) return;
    if (inbox?.reasonRequired === true) setAsking({ item, change });
    else changeItem(session, item, change, onBack);
  };
  const toState = (state: string): void => {
    if (item === undefined || item.state === state) return;
    make(stateChange(item, state));
    if (inbox?.states.find(({ name }) => name === state)?.kind === 'closed') afterPaint(onLeft);
  };
  const close = (): void => {
    if (item === undefined || inbox === undefined || !may('state')) return;
    const [only, ...others] = closedStates(inbox);
    // Where an item may end well or badly it is a decision which, also when one of them can't be reached from here.
    if (only !== undefined && others.length === 0 && isReachable(inbox, item, only.name)) toState(only.name);
    else setOpened('close');
  };
  const dialog =
    asking !== null ? (
      <Ask
        title={inboxTexts.change.askReason(asking.change.done)}
        about={inboxTexts.change.askReasonAbout}
        deed={asking.change.done}
        onAnswer={(reason) => changeItem(session, asking.item, withReason(asking.change, reason), onBack)}
        onClose={() => setAsking(null)}
      />
    ) : opened === null || item === undefined || inbox === undefined ? null : (
      <ItemPicker
        what={opened}
        item={item}
        inbox={inbox}
        names={names}
        onState={toState}
        onChange={make}
        onLeft={onLeft}
        onClose={() => setOpened(null)}
      />
    );
  return {
    may,
    close,
    open: (what) => {
      if (item !== undefined && may(editedNames.some((name) => name === what) ? 'edit' : what)) setOpened(what);
    },
    dialog,
  };
};
