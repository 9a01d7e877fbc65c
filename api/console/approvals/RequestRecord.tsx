/** What became of the requests of a principal: how many were approved and rejected, and how many wait. Used by Decision. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { requestRecordQuery } from '../wire/queries.ts';
import type { Approval } from '../wire/types.ts';

export const RequestRecord = ({ requestedBy: { id, name } }: Pick<Approval, 'requestedBy'>) => {
  const { http } = useSession();
  const { data } = useQuery({ ...requestRecordQuery(http, id ?? ''), enabled: id !== null });
  return (
    <p className="soft record-of-requests" aria-label={`Requests of ${name}`}>
      {data === undefined
        ? '\u00a0'
        : `Of this requester’s requests ${data.approved} were approved, ${data.rejected} rejected, and ${data.pending} wait.`}
    </p>
  );
};
