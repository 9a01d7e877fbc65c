/** Shows the newest entries of a related record's history, such as a refund of an order; they are read on request. Used by Related. */
import { useQuery } from '@tanstack/react-query';
import { useNames } from '../content/names.ts';
import { RecordLink } from '../content/RecordLink.tsx';
import { TimelineEntry } from '../content/TimelineEntry.tsx';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Skeleton } from '../ui/Problem.tsx';
import type { RecordRef } from '../wire/actionQueries.ts';
import { recordQuery } from '../wire/recordQueries.ts';
import { recordsTexts } from './texts.tsx';

/** Earlier entries stand on the page of the record. */
const entriesShown = 5;

export const RelatedHistory = ({ of }: { readonly of: RecordRef }) => {
  const { http } = useSession();
  const names = useNames();
  const { data: page, error, refetch } = useQuery(recordQuery(http, of));
  if (page === undefined)
    return error === null ? (
      <Skeleton rows={1} />
    ) : (
      <p className="problem" role="alert">
        {error.message}{' '}
        <Button tone="bare" onClick={() => void refetch()}>
          {recordsTexts.tryAgain}
        </Button>
      </p>
    );
  const { history, historyCursor } = page;
  if (history.length === 0) return <p className="soft">{recordsTexts.noHistory}</p>;
  return (
    <div className="history">
      {history.slice(0, entriesShown).map((entry) => (
        <TimelineEntry key={entry.id} entry={entry} names={names} namesItem />
      ))}
      {(history.length > entriesShown || historyCursor !== null) && (
        <p className="soft">
          <RecordLink resource={of.resource} id={of.id} title={recordsTexts.wholeHistory} />
        </p>
      )}
    </div>
  );
};
