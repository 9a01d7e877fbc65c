/** Home's lists of agents with pending requests, unfinished bulks and running ramps; an empty one is left out. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BulkLine } from '../bulks/BulkLine.tsx';
import { answerText, goingRamp } from '../flags/words.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useSession } from '../shell/session.ts';
import { Ago } from '../ui/Time.tsx';
import { approvalsQuery } from '../wire/approvalQueries.ts';
import { bulksQuery } from '../wire/bulkQueries.ts';
import { isFinished } from '../wire/bulks.ts';
import { flagsQuery } from '../wire/flagQueries.ts';
import type { Approval } from '../wire/types.ts';
import { Section, shownMost } from './Section.tsx';
import { homeTexts } from './texts.tsx';

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
        <li key={id}>
          {isManaging ? (
            <SettingsLink section="agents" id={id}>
              {name}
            </SettingsLink>
          ) : (
            <span dir="auto">{name}</span>
          )}
          <span className="soft">{homeTexts.requests(asked, <Ago isInSentence at={oldest} />)}</span>
        </li>
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
        <li key={id}>
          <BulkLine id={id} onUndone={() => undefined} />
        </li>
      ))}
    </Section>
  );
};

export const Ramps = () => {
  const { http, environment } = useSession();
  const { data } = useQuery(flagsQuery(http));
  const going = (data ?? []).filter((flag) => goingRamp(flag) !== null);
  if (going.length === 0) return null;
  return (
    <Section title={homeTexts.ramps} none="" total={going.length} error={null}>
      {going.slice(0, shownMost).map((flag) => (
        <li key={flag.flag}>
          <Link to="/env/$environment/flags/$flag" params={{ environment, flag: flag.flag }}>
            {flag.flag}
          </Link>
          <span className="soft" dir="auto">
            {answerText(flag)}
          </span>
        </li>
      ))}
    </Section>
  );
};
