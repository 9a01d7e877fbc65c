/** The ledger: changes, requests and refusals of agents, newest first, with a count of entries that came since. Used by AgentPage and ActivityPage. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useRequests } from '../audit/outcome.ts';
import { auditTexts } from '../audit/texts.tsx';
import { useNewEntries } from '../audit/useNewEntries.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ShowEarlier, ShowNew } from '../ui/ListEnds.tsx';
import { ListTable } from '../ui/ListTable.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { ledgerQuery } from '../wire/settingsQueries.ts';
import { LedgerLine } from './LedgerLine.tsx';
import { ledgerTexts } from './ledgerTexts.ts';

interface LedgerProps {
  readonly agents: readonly string[];
  /** Whether each line names the agent. */
  readonly isOfMany: boolean;
  /** Milliseconds since 1970 UTC: entries from then on count as new while the ledger is empty. */
  readonly since: number;
}

/** Returns the list with its loaded entries, the number of entries that came since, and a function that reads the newest page again. */
const useLedger = ({ agents, isOfMany, since }: LedgerProps) => {
  const { http } = useSession();
  const options = ledgerQuery(http, agents);
  const list = useInfiniteQuery(options);
  const entries = useMemo(() => list.data?.pages.flatMap((page) => page.entries), [list.data]);
  const news = useNewEntries({
    queryKey: options.queryKey,
    entries,
    query: { actor: isOfMany ? undefined : agents[0] },
    since,
    isListed: ({ actor }) => agents.includes(actor.id ?? ''),
  });
  return { ...list, ...news, entries };
};

export const Ledger = (props: LedgerProps) => {
  const { isOfMany } = props;
  const list = useLedger(props);
  const { entries, error, refetch, newCount, readAnew, isFetching } = list;
  const requests = useRequests(entries);
  const [isFollowed, setFollowed] = useState(false);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isFollowed && !isHeld && newCount > 0 && !isFetching) readAnew();
  });
  useKeys({ l: readAnew, f: () => setFollowed(!isFollowed) });
  if (error !== null && entries === undefined) return <Problem error={error} onRetry={() => void refetch()} />;
  if (entries === undefined) return <Skeleton rows={6} />;
  return (
    <>
      <div className="ledger-head">
        <h2>{isOfMany ? ledgerTexts.ofMany : ledgerTexts.ofOne}</h2>
        <span className="soft" role="status">
          <ShowNew newCount={newCount} onShow={readAnew} />
        </span>
        <Button
          aria-pressed={isFollowed}
          title={ledgerTexts.followAbout}
          onClick={() => setFollowed(!isFollowed)}
          shortcut="f"
        >
          {isFollowed ? ledgerTexts.following : ledgerTexts.follow}
        </Button>
      </div>
      {entries.length === 0 ? (
        <Empty title={ledgerTexts.none}>{isOfMany ? ledgerTexts.noneOfMany : ledgerTexts.noneOfOne}</Empty>
      ) : (
        <ListTable
          label={ledgerTexts.acts}
          headings={isOfMany ? ledgerTexts.headingsOfMany : ledgerTexts.headings}
          deeds={auditTexts.details}
          hasMore={list.hasNextPage}
          isLedger
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
        >
          {entries.map((entry) => (
            <LedgerLine key={entry.id} entry={entry} isOfMany={isOfMany} requests={requests} />
          ))}
        </ListTable>
      )}
      <ShowEarlier what="acts" list={list} />
    </>
  );
};
