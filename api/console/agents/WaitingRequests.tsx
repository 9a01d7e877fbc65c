/** What an agent asked for: what waits for a decision, and what has ended lately, with the note. Used by AgentPage. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RequestEnd } from '../approvals/RequestRow.tsx';
import { useSession } from '../shell/session.ts';
import { Row, Rows } from '../ui/Rows.tsx';
import { Ago } from '../ui/Time.tsx';
import { requestsOfQuery } from '../wire/approvalQueries.ts';
import type { Approval } from '../wire/types.ts';
import { agentTexts } from './texts.tsx';

const Outcome = ({ approval }: { readonly approval: Approval }) => {
  const { status, requestedAt, note } = approval;
  if (status === 'pending') return agentTexts.waits(<Ago isInSentence at={requestedAt} />);
  return (
    <>
      <RequestEnd approval={approval} />
      {note !== null && <span dir="auto">: {note}</span>}
    </>
  );
};

export const WaitingRequests = ({ agent }: { readonly agent: string }) => {
  const { http, environment } = useSession();
  const { data = [] } = useQuery({ ...requestsOfQuery(http, agent), retry: false });
  if (data.length === 0) return null;
  return (
    <section className="waiting" aria-label={agentTexts.requests}>
      <h2>{agentTexts.requests}</h2>
      <Rows>
        {data.map((approval) => (
          <Row key={approval.id}>
            <Link to="/env/$environment/approvals/$id" params={{ environment, id: approval.id }} dir="auto">
              {approval.sentence}
            </Link>
            <span className="soft">
              <Outcome approval={approval} />
            </span>
          </Row>
        ))}
      </Rows>
    </section>
  );
};
