/** Home’s sections of what goes on: agents with pending requests, unfinished bulks and running ramps; and of loosenings that wait. Used by HomePage. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { BulkLine } from '../bulks/BulkLine.tsx';
import { ThingLink } from '../content/links.tsx';
import { answerText, goingRamp } from '../flags/words.ts';
import { looseningWords } from '../loosenings/words.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useSession } from '../shell/session.ts';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { count } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import { approvalsQuery } from '../wire/approvalQueries.ts';
import { bulksQuery } from '../wire/bulkQueries.ts';
import { flagsQuery } from '../wire/flagQueries.ts';
import { isFinished } from '../wire/queries.ts';
import { waitingLooseningsQuery } from '../wire/settingsQueries.ts';
import type { Approval } from '../wire/types.ts';
import { homeTexts } from './texts.tsx';

/** Number of lines of a list; its page has the others. */
export const shownMost = 6;

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
export const Section = ({ title, link, none, total, error, children }: SectionProps) => (
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
export const WaitingLoosenings = () => {
  const { http } = useSession();
  const { data = [] } = useQuery(waitingLooseningsQuery(http));
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
export const Requesters = ({ isManaging }: { readonly isManaging: boolean }) => {
  const { http } = useSession();
  const { data } = useQuery(approvalsQuery(http, 'pending'));
  const requesters = requestersOf(data ?? []);
  if (requesters.length === 0) return null;
  return (
    <Section title={homeTexts.requesters} none="" total={requesters.length} error={null}>
      {requesters.slice(0, shownMost).map(({ id, name, asked, oldest }) => (
        <Row key={id}>
          {isManaging ? (
            <SettingsLink section="agents" id={id}>
              {name}
            </SettingsLink>
          ) : (
            <span dir="auto">{name}</span>
          )}
          <span className="soft">{homeTexts.requests(asked, <Ago isInSentence at={oldest} />)}</span>
        </Row>
      ))}
    </Section>
  );
};

export const Bulks = () => {
  const { http } = useSession();
  const { data } = useQuery(bulksQuery(http));
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

export const Ramps = () => {
  const { http } = useSession();
  const { data } = useQuery(flagsQuery(http));
  const going = (data ?? []).filter((flag) => goingRamp(flag) !== null);
  if (going.length === 0) return null;
  return (
    <Section title={homeTexts.ramps} none="" total={going.length} error={null}>
      {going.slice(0, shownMost).map((flag) => (
        <Row key={flag.flag}>
          <ThingLink type="flag" id={flag.flag}>
            {flag.flag}
          </ThingLink>
          <span className="soft" dir="auto">
            {answerText(flag)}
          </span>
        </Row>
      ))}
    </Section>
  );
};
