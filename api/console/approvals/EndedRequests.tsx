/** The requests that ended in one way, the newest first. Used by ApprovalsPage. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { ShowEarlier } from '../ui/ShowEarlier.tsx';
import { endedApprovalsQuery } from '../wire/approvalQueries.ts';
import type { EndedStatus } from './ended.ts';
import { RequestRow } from './RequestRow.tsx';
import { approvalTexts } from './texts.ts';

interface EndedRequestsProps {
  readonly status: EndedStatus;
  readonly openId: string | null;
  readonly onOpen: (id: string) => void;
}

export const EndedRequests = ({ status, openId, onOpen }: EndedRequestsProps) => {
  const { http } = useSession();
  const list = useInfiniteQuery(endedApprovalsQuery(http, status));
  if (list.data === undefined)
    return list.error === null ? (
      <Skeleton rows={4} />
    ) : (
      <Problem error={list.error} onRetry={() => void list.refetch()} />
    );
  const requests = list.data.pages.flatMap(({ approvals }) => approvals);
  if (requests.length === 0) return <Empty title={approvalTexts.noneEnded}>{approvalTexts.noneEndedAbout}</Empty>;
  return (
    <>
      <ul className="requests">
        {requests.map((approval) => (
          <RequestRow key={approval.id} approval={approval} isOpen={approval.id === openId} onOpen={onOpen} />
        ))}
      </ul>
      <ShowEarlier what="ones" list={list} />
    </>
  );
};
