/** Home: approvals to decide, one's own items, overdue items, and what is under way. Loaded by router.tsx. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { RequestLine } from '../approvals/RequestRow.tsx';
import { BulkLine } from '../bulks/BulkLine.tsx';
import { ThingLink, InboxItemLink } from '../content/links.tsx';
import { answerText, goingRamp } from '../flags/words.ts';
import type { ListSearch } from '../inbox/filter.ts';
import { looseningWords } from '../loosenings/words.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { may, mayAny } from '../shell/rights.ts';
import { useSession, useRead } from '../shell/session.ts';
import { KeyHint } from '../ui/Button.tsx';
import { Ago, Due, Aside } from '../ui/marks.tsx';
import { count } from '../ui/plural.ts';
import { Skeleton, Problem } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { flagsQuery } from '../wire/appQueries.ts';
import { approvalsQuery } from '../wire/approvalQueries.ts';
import { useArrivals } from '../wire/arrivals.ts';
import { useItem, type ItemStore } from '../wire/itemStore.ts';
import {
  callsOf,
  countsQuery,
  inboxesQuery,
  itemsQuery,
  meQuery,
  type ItemQuery,
  isFinished,
} from '../wire/queries.ts';
import { bulksQuery } from '../wire/runQueries.ts';
import { waitingLooseningsQuery } from '../wire/settingsQueries.ts';
import type { Approval } from '../wire/types.ts';
import { homeTexts } from './texts.tsx';

/** Number of lines of a list; its page has the others. */
const shownMost = 6;

interface SectionProps {
  readonly title: string;
  /** Makes a link to the whole list of the heading; absent: there is no such list. */
  readonly link?: (title: string) => ReactNode;
  readonly none: ReactNode;
  readonly total: number | null;
  readonly error: unknown;
  readonly children: readonly ReactNode[] | null;
}

/** A list under its heading. */
const Section = ({ title, link, none, total, error, children }: SectionProps) => (
  <section className="waiting" aria-label={title}>
    <h2>
      {link === undefined ? title : link(title)}{' '}
      {total !== null && total > 0 && <span className="soft">{count(total)}</span>}
    </h2>
    {error !== null && children === null && <Problem error={error} />}
    {error === null && children === null && <Skeleton rows={2} />}
    {children?.length === 0 && <p className="soft">{none}</p>}
    {children !== null && children.length > 0 && <Rows total={total}>{children}</Rows>}
  </section>
);

/** Home's list of undecided loosenings, for roles with `settings: manage`. */
const WaitingLoosenings = () => {
  const { data = [] } = useRead(waitingLooseningsQuery);
  if (data.length === 0) return null;
  return (
    <Section title={homeTexts.loosenings} none="" total={data.length} error={null}>
      {data.slice(0, shownMost).map((loosening) => {
        const { what, to } = looseningWords(loosening);
        return (
          <Row key={loosening.id}>
            <SettingsLink section="loosenings">{homeTexts.loosening(what, to)}</SettingsLink>
            <Ago at={loosening.since} />
          </Row>
        );
      })}
    </Section>
  );
};

interface Requester {
  readonly id: string;
  readonly name: string;
  readonly asked: number;
  readonly oldest: number;
}

/** Returns the agents that wait for decisions, most requests first. */
const requestersOf = (approvals: readonly Approval[]): readonly Requester[] => {
  const byId = new Map<string, Approval[]>();
  for (const approval of approvals) {
    const { type, id } = approval.requestedBy;
    if (type === 'agent' && id !== null) byId.set(id, [...(byId.get(id) ?? []), approval]);
  }
  return [...byId]
    .map(([id, asked]) => ({
      id,
      name: asked[0]?.requestedBy.name ?? id,
      asked: asked.length,
      oldest: Math.min(...asked.map(({ requestedAt }) => requestedAt)),
    }))
    .toSorted((a, b) => b.asked - a.asked || a.oldest - b.oldest);
};

/** `isManaging`: whether the person sees the agents' own pages. */
const Requesters = ({ isManaging }: { readonly isManaging: boolean }) => {
  const { data } = useRead((http) => approvalsQuery(http, 'pending'));
  const requesters = requestersOf(data ?? []);
  if (requesters.length === 0) return null;
  return (
    <Section title={homeTexts.requesters} none="" total={requesters.length} error={null}>
      {requesters.slice(0, shownMost).map(({ id, name, asked, oldest }) => (
        <Row key={id}>
          {isManaging ? <SettingsLink section="agents" of={{ id, name }} /> : <span dir="auto">{name}</span>}
          <span className="soft">{homeTexts.requests(asked, <Ago isInSentence at={oldest} />)}</span>
        </Row>
      ))}
    </Section>
  );
};

const Bulks = () => {
  const { data } = useRead(bulksQuery);
  const going = (data ?? []).filter((bulk) => !isFinished(bulk));
  if (going.length === 0) return null;
  return (
    <Section title={homeTexts.bulks} none="" total={going.length} error={null}>
      {going.slice(0, shownMost).map(({ id }) => (
        <Row key={id}>
          <BulkLine id={id} onUndone={() => undefined} />
        </Row>
      ))}
    </Section>
  );
};

const Ramps = () => {
  const { data } = useRead(flagsQuery);
  const going = (data ?? []).filter((flag) => goingRamp(flag) !== null);
  if (going.length === 0) return null;
  return (
    <Section title={homeTexts.ramps} none="" total={going.length} error={null}>
      {going.slice(0, shownMost).map((flag) => (
        <Row key={flag.flag}>
          <ThingLink type="flag" id={flag.flag}>
            {flag.flag}
          </ThingLink>
          <Aside>{answerText(flag)}</Aside>
        </Row>
      ))}
    </Section>
  );
};

const ItemLine = ({ id }: { readonly id: string }) => {
  const { items } = useSession();
  const item = useItem(items, id);
  if (item === undefined) return null;
  return (
    <Row>
      <InboxItemLink inbox={item.inbox} id={id} title={item.title} />
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
  const { data: counts } = useRead(countsQuery);
  const mine = data
    ?.filter(({ canDecide, kind }) => canDecide.approve || kind === 'question')
    .toSorted((a, b) => a.requestedAt - b.requestedAt);
  return (
    <Section
      title={homeTexts.toDecide}
      link={(words) => (
        <Link to="/env/$environment/approvals" params={{ environment }}>
          {words}
        </Link>
      )}
      none={homeTexts.nothingToDecide}
      total={counts === undefined ? null : callsOf(counts)}
      error={error}
    >
      {mine === undefined
        ? null
        : mine.slice(0, shownMost).map((approval) => <RequestLine key={approval.id} approval={approval} />)}
    </Section>
  );
};

export const HomePage = () => {
  const { data: me } = useRead(meQuery);
  const { data: inboxes } = useRead(inboxesQuery);
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
