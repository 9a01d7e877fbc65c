/** The bulks that one started, newest first, and for those who see the audit log everybody’s: found again, stopped, undone. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../shell/session.ts';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { Ago } from '../ui/Time.tsx';
import { bulksQuery } from '../wire/bulkQueries.ts';
import { BulkLine } from './BulkLine.tsx';
import { bulkTexts } from './texts.tsx';

export const BulksPage = () => {
  const { http } = useSession();
  const { data: bulks, error, refetch } = useQuery(bulksQuery(http));
  /** Undoing bulks that the list does not have yet. */
  const [made, setMade] = useState<readonly string[]>([]);
  if (error !== null && bulks === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  const fresh = made.filter((id) => bulks?.some((bulk) => bulk.id === id) !== true);
  return (
    <div className="column">
      <header className="column-head">
        <div>
          <h1>{bulkTexts.title}</h1>
          <p className="soft">{bulkTexts.about}</p>
        </div>
      </header>
      {bulks === undefined && <Skeleton rows={4} />}
      {bulks?.length === 0 && <Empty title={bulkTexts.none}>{bulkTexts.howToBegin}</Empty>}
      <ul className="bulks">
        {fresh.map((id) => (
          <li key={id}>
            <BulkLine id={id} onUndone={(next) => setMade([next, ...made])} />
          </li>
        ))}
        {bulks?.map(({ id, by, startedAt }) => (
          <li key={id}>
            <BulkLine id={id} onUndone={(next) => setMade([next, ...made])} />
            <p className="soft">
              {by.name}
              {startedAt !== null && (
                <>
                  {' '}
                  · <Ago at={startedAt} />
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
};
