/** What became of the requests of a principal: how many were approved and rejected, and how many wait. Used by Decision. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { requestRecordQuery } from '../wire/queries.ts';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './requestTexts.tsx';

export const RequestRecord = ({ requestedBy: { id } }: Pick<Approval, 'requestedBy'>) => {
  const { http } = useSession();
  const { data } = useQuery({ ...requestRecordQuery(http, id ?? ''), enabled: id !== null });
  return (
    <p className="soft record-of-requests">
      {data === undefined ? '\u00a0' : requestTexts.recordCounts(data.approved, data.rejected, data.pending)}
    </p>
  );
};
