/** The changes of flags that wait for a decision, as far as the person may see them. Used by the pages of flags. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { approvalsQuery } from '../wire/approvalQueries.ts';
import type { Approval } from '../wire/types.ts';

/** Returns the requests for a change of one flag, the oldest first. */
export const useFlagRequests = (): ((flag: string) => readonly Approval[]) => {
  const { http } = useSession();
  const { data = [] } = useQuery({ ...approvalsQuery(http, 'pending'), retry: false });
  return (flag) => data.filter((request) => request.flag === flag).toReversed();
};
