/** Foot of the page of a list: the selected items with what can be done to them, tried out first, and the bulks that go on. Used by InboxPage. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { BulkLine } from '../bulks/BulkLine.tsx';
import { useBulkChanges } from '../bulks/useBulkChanges.ts';
import { deedOf } from '../bulks/words.ts';
import type { Names } from '../content/names.ts';
import { useSession } from '../shell/session.ts';
import { Ask } from '../ui/Ask.tsx';
import { Button } from '../ui/Button.tsx';
import { count } from '../ui/time.ts';
import { bulksQuery } from '../wire/bulkQueries.ts';
import { isFinished } from '../wire/bulks.ts';
import type { Inbox } from '../wire/types.ts';
import type { BulkPick } from './bulkPick.ts';
import { SelectionPicker } from './SelectionPicker.tsx';
import { usePlan, type Operation } from './usePlan.ts';
import type { Selection } from './useSelection.ts';

export interface SelectionBarProps {
  readonly selection: Selection;
  /** How many the list has in all; null: not known. */
  readonly total: { readonly count: number; readonly isMinimum: boolean } | null;
  /** Those of the list. */
  readonly inboxes: readonly Inbox[];
  readonly names: Names;
  /** The change that a key chose; null: none. */
  readonly pick: BulkPick | null;
  readonly onPick: (pick: BulkPick | null) => void;
}

const buttons: readonly (readonly [BulkPick, string, string, string])[] = [
  ['close', 'state', 'Close', 'e'],
  ['assign', 'assign', 'Assign', 'a'],
  ['tags', 'tags', 'Tag', 't'],
  ['snooze', 'snooze', 'Snooze', 's'],
  ['state', 'state', 'Set state', 'w'],
];

/** The bulks to show: the one that was just started, and own ones that still go on. */
const useShownBulks = (me: string | null) => {
  const { http } = useSession();
  const { data: bulks = [] } = useQuery(bulksQuery(http));
  const [started, setStarted] = useState<readonly string[]>([]);
  const [away, setAway] = useState<ReadonlySet<string>>(new Set());
  const unfinished = bulks.filter((bulk) => bulk.by.id === me && !isFinished(bulk)).map(({ id }) => id);
  return {
    shown: [...new Set([...started, ...unfinished])].filter((id) => !away.has(id)),
    start: (id: string) => setStarted((known) => [id, ...known].slice(0, 3)),
    putAway: (id: string) => setAway((known) => new Set([...known, id])),
  };
};

export const SelectionBar = ({ selection, total, inboxes, names, pick, onPick }: SelectionBarProps) => {
  const { items, notices } = useSession();
  const { ids, whole, clear, selectWhole } = selection;
  const bulks = useShownBulks(names.me);
  const { undo } = useBulkChanges();
  const { plan, isBusy, make, drop, start } = usePlan(selection, total?.count ?? null);
  const [asking, setAsking] = useState<Operation | null>(null);
  const chosen = new Set([...ids].map((id) => items.get(id)?.inbox));
  const of = whole === null ? inboxes.filter(({ name }) => chosen.has(name)) : inboxes;
  const may = (verb: string): boolean => of.some(({ can }) => can.includes(verb));
  const undoAll = async (id: string): Promise<void> => {
    const made = await undo(id);
    if (made !== null) bulks.start(made);
  };
  const choose = (operation: Operation): void => {
    if (of.some(({ reasonRequired }) => reasonRequired)) setAsking(operation);
    else void make(operation, null);
  };
  const go = async (): Promise<void> => {
    const id = await start();
    if (id === null) return;
    bulks.start(id);
    notices.remember(() => void undoAll(id));
  };
  const size =
    whole === null
      ? count(ids.size)
      : `${total?.isMinimum === true ? 'more than ' : ''}${count(total?.count ?? ids.size)}`;
  if (ids.size === 0 && bulks.shown.length === 0) return null;
  return (
    <section
      className="selection"
      aria-label="Selection"
      onKeyDown={(event) => {
        // Nothing has been done yet, so that what would be undone is something else.
        if ((event.key !== 'Escape' && event.key !== 'u') || plan === null) return;
        event.preventDefault();
        drop();
      }}
    >
      {bulks.shown.map((id) => (
        <BulkLine key={id} id={id} onUndone={bulks.start} onClose={() => bulks.putAway(id)} />
      ))}
      {ids.size > 0 && plan === null && (
        <div className="selection-deeds">
          <span role="status">{whole === null ? `${size} selected` : `All ${size} that match are selected`}</span>
          {whole === null && total !== null && total.count > ids.size && (
            <Button tone="bare" className="first-line" onClick={selectWhole} shortcut="*">
              Select all {total.isMinimum && 'more than '}
              {count(total.count)} that match
            </Button>
          )}
          {buttons.map(
            ([deed, verb, label, key]) =>
              may(verb) && (
                <Button key={deed} disabled={isBusy} onClick={() => onPick(deed)} shortcut={key}>
                  {label}
                </Button>
              ),
          )}
          <Button tone="bare" className="first-line" onClick={clear} shortcut="Esc">
            Clear
          </Button>
        </div>
      )}
      {ids.size > 0 && plan !== null && (
        <div className="selection-deeds">
          <span role="status">
            {deedOf(plan.operation, names.of)}: would change {count(plan.dry.wouldChange)}
            {plan.dry.unchanged > 0 && `, leave ${count(plan.dry.unchanged)} as they are`}
            {plan.dry.forbidden > 0 && `, ${count(plan.dry.forbidden)} your role may not`}
            {plan.dry.failed + plan.dry.notFound > 0 && `, ${count(plan.dry.failed + plan.dry.notFound)} can’t be`}
          </span>
          <Button tone="main" autoFocus disabled={isBusy || plan.dry.wouldChange === 0} onClick={() => void go()}>
            Change {count(plan.dry.wouldChange)}
          </Button>
          <Button autoFocus={plan.dry.wouldChange === 0} onClick={drop} shortcut="Esc">
            Back
          </Button>
        </div>
      )}
      {pick !== null && ids.size > 0 && (
        <SelectionPicker
          pick={pick}
          ids={ids}
          inboxes={of}
          names={names}
          may={may}
          onChoose={choose}
          onClose={() => onPick(null)}
        />
      )}
      {asking !== null && (
        <Ask
          title={`${deedOf(asking, names.of)}: why?`}
          about="An inbox of these items wants a reason for every change. It stands in the history of each."
          label="Reason"
          deed="Go on"
          onAnswer={(reason) => void make(asking, reason)}
          onClose={() => setAsking(null)}
        />
      )}
    </section>
  );
};
