/** Foot of the page of a list: the selected items with what can be done to them, tried out first, and the bulks that go on. Used by InboxPage. */
import { useState } from 'react';
import { BulkLine, Problems, deedOf, useBulkChanges } from '../bulks/BulkLine.tsx';
import type { Names } from '../content/names.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useFoot } from '../ui/foot.ts';
import { Ask } from '../ui/lazy.tsx';
import { isFinished, type Total } from '../wire/queries.ts';
import { bulksQuery } from '../wire/runQueries.ts';
import type { Inbox } from '../wire/types.ts';
import { dialogTexts } from './dialogTexts.ts';
import { type BulkPick, SelectionPicker } from './SelectionPicker.tsx';
import { usePlan, type Operation } from './usePlan.ts';
import type { Selection } from './useSelection.ts';

interface SelectionBarProps {
  readonly selection: Selection;
  /** How many the list has in all; null: not known. */
  readonly total: Total | null;
  /** Those of the list. */
  readonly inboxes: readonly Inbox[];
  readonly names: Names;
  /** The change that a key chose; null: none. */
  readonly pick: BulkPick | null;
  readonly onPick: (pick: BulkPick | null) => void;
}

/** What can be done, with the verb that it needs and its key. */
const buttons: readonly (readonly [BulkPick, string, string])[] = [
  ['close', 'state', 'e'],
  ['assign', 'assign', 'a'],
  ['tags', 'tags', 't'],
  ['snooze', 'snooze', 's'],
  ['state', 'state', 'w'],
];

/** The bulks to show: the one that was just started, and own ones that still go on. */
const useShownBulks = (me: string | null) => {
  const { data: bulks = [] } = useRead(bulksQuery);
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
  const { ids, whole, clear, selectWhole, settle } = selection;
  const place = useFoot('--selection');
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
    settle();
    notices.remember(() => void undoAll(id));
  };
  const all = total?.count ?? ids.size;
  const isMore = total?.isMinimum === true;
  if (ids.size === 0 && bulks.shown.length === 0) return null;
  return (
    <section
      ref={place}
      className="selection"
      aria-label={dialogTexts.selection.selection}
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
          <span role="status">
            {whole === null
              ? dialogTexts.selection.selected(ids.size)
              : isMore
                ? dialogTexts.selection.moreSelected(all)
                : dialogTexts.selection.allSelected(all)}
          </span>
          {whole === null && total !== null && total.count > ids.size && (
            <Button tone="bare" className="first-line" onClick={selectWhole} shortcut="*">
              {isMore ? dialogTexts.selection.selectMore(all) : dialogTexts.selection.selectAll(all)}
            </Button>
          )}
          {buttons.map(
            ([deed, verb, key]) =>
              may(verb) && (
                <Button key={deed} disabled={isBusy} onClick={() => onPick(deed)} shortcut={key}>
                  {dialogTexts.selection.deeds[deed]}
                </Button>
              ),
          )}
          <Button tone="bare" className="first-line" onClick={clear} shortcut="Esc">
            {dialogTexts.selection.clear}
          </Button>
        </div>
      )}
      {ids.size > 0 && plan !== null && (
        <div className="selection-deeds">
          <span role="status">
            {dialogTexts.selection.plan(deedOf(plan.operation, names.of), {
              selected: plan.selected,
              matched: plan.dry.matched,
              changed: plan.dry.wouldChange,
              unchanged: plan.dry.unchanged,
              forbidden: plan.dry.forbidden,
              failed: plan.dry.failed + plan.dry.notFound,
            })}
          </span>
          <Button tone="main" autoFocus disabled={isBusy || plan.dry.wouldChange === 0} onClick={() => void go()}>
            {dialogTexts.selection.change(plan.dry.wouldChange)}
          </Button>
          <Button autoFocus={plan.dry.wouldChange === 0} onClick={drop} shortcut="Esc">
            {dialogTexts.selection.back}
          </Button>
        </div>
      )}
      {ids.size > 0 && plan !== null && <Problems problems={plan.dry.problems} />}
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
          title={dialogTexts.selection.askReason(deedOf(asking, names.of))}
          about={dialogTexts.selection.askReasonAbout}
          deed={dialogTexts.selection.goOn}
          onAnswer={(reason) => void make(asking, reason)}
          onClose={() => setAsking(null)}
        />
      )}
    </section>
  );
};
