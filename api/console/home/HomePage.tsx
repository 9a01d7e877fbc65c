/** Home: approvals to decide, one's own items, overdue items, and what is under way. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { RequestLine } from '../approvals/RequestRow.tsx';
import type { ListSearch } from '../inbox/filter.ts';
import { may, mayAny } from '../shell/rights.ts';
import { useSession } from '../shell/session.ts';
import { KeyHint } from '../ui/Button.tsx';
import { Skeleton } from '../ui/Problem.tsx';
import { Row } from '../ui/Rows.tsx';
import { Ago, Due } from '../ui/Time.tsx';
import { approvalsQuery } from '../wire/approvalQueries.ts';
import { useArrivals } from '../wire/arrivals.ts';
import { useItem, type ItemStore } from '../wire/itemStore.ts';
import { countsQuery, inboxesQuery, itemsQuery, meQuery, type ItemQuery } from '../wire/queries.ts';
import { homeTexts } from './texts.tsx';
import { Bulks, Ramps, Requesters, Section, WaitingLoosenings, shownMost } from './Underway.tsx';

const ItemLine = ({ id }: { readonly id: string }) => {
  const { items, environment } = useSession();
  const item = useItem(items, id);
  if (item === undefined) return null;
  return (
    <Row>
      <Link
        to="/env/$environment/inbox/$inbox"
        params={{ environment, inbox: item.inbox }}
        search={{ show: 'all', item: id }}
        dir="auto"
      >
        {item.title}
      </Link>
      {item.dueAt === null ? <Ago at={item.lastSeen} /> : <Due at={item.dueAt} />}
    </Row>
  );
};

/** Reads a short list again when items have changed, at most once a second. */
const useRefetch = (items: ItemStore, refetch: () => unknown): void => {
  const arrivals = useArrivals(items.arrivals);
  const timer = useRef<number | null>(null);
  const first = useRef(arrivals);
  useEffect(() => {
    if (arrivals === first.current || timer.current !== null) return;
    timer.current = window.setTimeout(() => {
      timer.current = null;
      void refetch();
    }, 1_000);
  }, [arrivals, refetch]);
  useEffect(
    () => () => {
      if (timer.current !== null) window.clearTimeout(timer.current);
    },
    [],
  );
};

const Items = ({
  title,
  list,
  none,
  query,
}: {
  readonly title: string;
  /** The list of the inboxes that has all of them. */
  readonly list: ListSearch;
  readonly none: ReactNode;
  readonly query: ItemQuery;
}) => {
  const { http, items, environment } = useSession();
  const { data, error, refetch } = useInfiniteQuery({ ...itemsQuery(http, items, query), staleTime: 0 });
  useRefetch(items, refetch);
  const first = data?.pages[0];
  return (
    <Section
      title={title}
      link={(words) => (
        <Link to="/env/$environment/items" params={{ environment }} search={list}>
          {words}
        </Link>
      )}
      none={none}
      total={first?.total?.count ?? null}
      error={error}
    >
      {first === undefined ? null : first.ids.slice(0, shownMost).map((id) => <ItemLine key={id} id={id} />)}
    </Section>
  );
};

const Requests = () => {
  const { http, environment } = useSession();
  const { data, error } = useQuery(approvalsQuery(http, 'pending'));
  const { data: counts } = useQuery(countsQuery(http));
  const mine = data?.filter(({ canDecide }) => canDecide.approve).toSorted((a, b) => a.requestedAt - b.requestedAt);
  return (
    <Section
      title={homeTexts.toDecide}
      link={(words) => (
        <Link to="/env/$environment/approvals" params={{ environment }}>
          {words}
        </Link>
      )}
      none={homeTexts.nothingToDecide}
      total={counts?.approvals.decidable ?? null}
      error={error}
    >
      {mine === undefined
        ? null
        : mine.slice(0, shownMost).map((approval) => <RequestLine key={approval.id} approval={approval} />)}
    </Section>
  );
};

export const HomePage = () => {
  const { http } = useSession();
  const { data: me } = useQuery(meQuery(http));
  const { data: inboxes } = useQuery(inboxesQuery(http));
  if (me === undefined || inboxes === undefined) return <Skeleton rows={6} />;
  const notClosed = [
    ...new Set(inboxes.flatMap(({ states }) => states.flatMap(({ name, kind }) => (kind === 'closed' ? [] : [name])))),
  ].join(',');
  return (
    <div className="column home">
      <h1>{homeTexts.title}</h1>
      {may(me, 'approvals', 'decide') && <Requests />}
      {may(me, 'settings', 'manage') && <WaitingLoosenings />}
      <Items
        title={homeTexts.mine}
        list={{ assignee: 'me', sort: 'due' }}
        none={
          <>
            {homeTexts.nothingMine}{' '}
            {inboxes.some(({ can }) => can.includes('assign')) && <KeyHint>{homeTexts.howToTake}</KeyHint>}
          </>
        }
        query={{ assignee: 'me', ...(notClosed === '' ? {} : { state: notClosed }), snoozed: '0', sort: 'due' }}
      />
      <Items
        title={homeTexts.overdue}
        list={{ show: 'all', overdue: '1', sort: 'due' }}
        none={homeTexts.nothingOverdue}
        query={{ overdue: '1', snoozed: '0', sort: 'due' }}
      />
      {may(me, 'approvals', 'see') && <Requesters isManaging={may(me, 'settings', 'manage')} />}
      <Bulks />
      {mayAny(me, 'flag') && <Ramps />}
    </div>
  );
};
