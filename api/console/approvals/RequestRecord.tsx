/** What became of the requests of a principal: how many were approved, were rejected, ended undecided, and wait. Used by Decision. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { count } from '../ui/time.ts';
import { requestRecordQuery } from '../wire/approvalQueries.ts';
import type { Total } from '../wire/queries.ts';
import { wireTexts } from '../wire/texts.ts';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './requestTexts.tsx';

const texts = requestTexts.recordCounts;

/** Returns a number of requests as it is said. */
const said = ({ count: n, isMinimum }: Total): string => (isMinimum ? wireTexts.moreThan(n) : count(n));

export const RequestRecord = ({ requestedBy: { id } }: Pick<Approval, 'requestedBy'>) => {
  const { http } = useSession();
  const { data } = useQuery({ ...requestRecordQuery(http, id ?? ''), enabled: id !== null });
  return (
    <p className="soft record-of-requests">
      {data === undefined
        ? '\u00a0'
        : requestTexts.record([
            texts.approved(data.approved.count, said(data.approved)),
            texts.rejected(data.rejected.count, said(data.rejected)),
            ...(data.undecided.count === 0 ? [] : [texts.undecided(data.undecided.count, said(data.undecided))]),
            texts.pending(data.pending.count, said(data.pending)),
          ])}
    </p>
  );
};
