/** One bulk on a line: what it does, how far it is, and stopping or undoing it; and why some items would not change. Used by the pages of bulks, the inbox and approvals. */
import { useState } from 'react';
import { ThingLink } from '../content/links.tsx';
import { useNames } from '../content/names.ts';
import { contentTexts } from '../content/texts.tsx';
import { legible } from '../content/values.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useNow } from '../ui/marks.tsx';
import { inRow } from '../ui/plural.ts';
import { whenTime } from '../ui/time.ts';
import { bulkQuery, isFinished, keys } from '../wire/queries.ts';
import { bulksQuery } from '../wire/runQueries.ts';
import type { Bulk, BulkDryRun } from '../wire/types.ts';
import { bulkTexts } from './texts.tsx';

const texts = bulkTexts.deed;

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const deeds: Readonly<Record<string, (operation: Readonly<Record<string, unknown>>, nameOf: NameOf) => string>> = {
  state: ({ state }) => texts.state(String(state)),
  assign: ({ assignee }, nameOf) => (typeof assignee === 'string' ? texts.assign(nameOf(assignee)) : texts.unassign),
  tags: ({ add, remove }) =>
    inRow([
      ...(listOf(add).length === 0 ? [] : [texts.addTags(listOf(add))]),
      ...(listOf(remove).length === 0 ? [] : [texts.removeTags(listOf(remove))]),
    ]),
  snooze: ({ until }) => (typeof until === 'number' ? texts.snooze(whenTime(until)) : texts.wake),
  update: () => texts.update,
  action: ({ action }) => texts.action(String(action)),
  undo: () => texts.undo,
};

type NameOf = (id: string | null) => string;

/** Returns what an operation does, as the beginning of a sentence. */
export const deedOf = (operation: Readonly<Record<string, unknown>> & { readonly type: string }, nameOf: NameOf) =>
  (Object.hasOwn(deeds, operation.type) ? deeds[operation.type] : undefined)?.(operation, nameOf) ?? operation.type;

/** Returns how far a bulk is, and what became of its items. */
export const progressOf = ({ status, total, done, changed, unchanged, failed }: Bulk): string => {
  const counts = [
    bulkTexts.counts.changed(changed),
    ...(unchanged > 0 ? [bulkTexts.counts.unchanged(unchanged)] : []),
    ...(failed > 0 ? [bulkTexts.counts.failed(failed)] : []),
  ];
  if (status === 'pending') return bulkTexts.waits(total);
  if (status === 'queued' || status === 'running') return bulkTexts.underWay(done, total, counts);
  return status === 'done' ? bulkTexts.done(counts) : bulkTexts.stopped(counts);
};

interface BulkChanges {
  stop(bulk: Bulk): Promise<void>;
  /** Returns the id of the bulk that undoes it; null: it was refused, which a notice says. */
  undo(id: string): Promise<string | null>;
}

/** Stops and undoes bulks. */
export const useBulkChanges = (): BulkChanges => {
  const { http, queries, notices } = useSession();
  const call = async (path: string): Promise<Bulk | null> => {
    const answer = await notices.attempt(() => http.call<{ bulk: Bulk }>('POST', path, { body: {} }));
    if (answer === null) return null;
    const { bulk } = answer.body;
    queries.setQueryData(keys.bulk(bulk.id), bulk);
    void queries.invalidateQueries({ queryKey: keys.bulks });
    return bulk;
  };
  return {
    stop: async ({ id }) => void (await call(`/bulk/${id}/cancel`)),
    undo: async (id) => (await call(`/bulk/${id}/undo`))?.id ?? null,
  };
};

/** Reasons that are shown; the others are counted. */
const shownMost = 3;

/** `problems`: most frequent first. */
export const Problems = ({ problems }: Pick<BulkDryRun, 'problems'>) => {
  if (problems.length === 0) return null;
  const others = problems.slice(shownMost).reduce((sum, { count }) => sum + count, 0);
  return (
    <ul className="problems soft">
      {problems.slice(0, shownMost).map(({ message, count }) => (
        <li key={message} dir="auto">
          {contentTexts.problem(count, legible(message))}
        </li>
      ))}
      {others > 0 && <li>{contentTexts.otherProblems(others)}</li>}
    </ul>
  );
};

interface BulkLineProps {
  readonly id: string;
  /** Called with the bulk that undoes this one. */
  readonly onUndone: (id: string) => void;
  /** Whether its outcomes stand below. */
  readonly isPage?: boolean;
  /** Puts the line away; absent: it stays. */
  readonly onClose?: () => void;
}

/** Milliseconds for which a bulk can be undone. */
const undoMs = 7 * 24 * 3_600_000;

const isUndoable = ({ changed, operation, finishedAt }: Bulk, now: number): boolean =>
  finishedAt !== null && now - finishedAt < undoMs && changed > 0 && !['action', 'undo'].includes(operation.type);

export const BulkLine = ({ id, onUndone, onClose, isPage = false }: BulkLineProps) => {
  const { data: bulk, error } = useRead((http) => bulkQuery(http, id));
  const { data: bulks } = useRead(bulksQuery);
  const { stop, undo } = useBulkChanges();
  const names = useNames();
  const now = useNow();
  const [isBusy, setBusy] = useState(false);
  if (bulk === undefined)
    return <p className="bulk-line soft">{error === null ? bulkTexts.starting : bulkTexts.notShown}</p>;
  const isUndone = bulks?.some(({ operation }) => 'bulk' in operation && operation.bulk === id) === true;
  const isMine = bulk.by.id === names.me;
  const press = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    await work();
    setBusy(false);
  };
  return (
    <div className="bulk-line">
      <span role="status">
        <strong dir="auto">{deedOf(bulk.operation, names.of)}</strong> {progressOf(bulk)}
      </span>
      {!isFinished(bulk) && (
        <progress max={Math.max(1, bulk.total)} value={bulk.done} aria-label={bulkTexts.progress} />
      )}
      {isMine && !isFinished(bulk) && (
        <Button disabled={isBusy} onClick={() => void press(() => stop(bulk))}>
          {bulkTexts.stop}
        </Button>
      )}
      {isMine && !isUndone && isUndoable(bulk, now) && (
        <Button
          disabled={isBusy}
          onClick={() =>
            void press(async () => {
              const made = await undo(bulk.id);
              if (made !== null) onUndone(made);
            })
          }
        >
          {bulkTexts.undo}
        </Button>
      )}
      {!isPage && (
        <ThingLink type="bulk" id={id}>
          {bulkTexts.showOutcomes}
        </ThingLink>
      )}
      {onClose !== undefined && (
        <button type="button" className="dismiss" aria-label={bulkTexts.putAway} onClick={onClose}>
          ×
        </button>
      )}
    </div>
  );
};
