/** One bulk on a line: what it does, how far it is, and stopping or undoing it. Used by the pages of bulks and by the inbox. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useNames } from '../content/names.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { useNow } from '../ui/clock.ts';
import { bulksQuery } from '../wire/bulkQueries.ts';
import { isFinished } from '../wire/bulks.ts';
import { bulkQuery } from '../wire/queries.ts';
import type { Bulk } from '../wire/types.ts';
import { bulkTexts } from './texts.tsx';
import { useBulkChanges } from './useBulkChanges.ts';
import { deedOf, progressOf } from './words.ts';

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
  const { http, environment } = useSession();
  const { data: bulk, error } = useQuery(bulkQuery(http, id));
  const { data: bulks } = useQuery(bulksQuery(http));
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
        <Link to="/env/$environment/bulks/$id" params={{ environment, id }}>
          {bulkTexts.showOutcomes}
        </Link>
      )}
      {onClose !== undefined && (
        <button type="button" className="dismiss" aria-label={bulkTexts.putAway} onClick={onClose}>
          ×
        </button>
      )}
    </div>
  );
};
