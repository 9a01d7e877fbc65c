/** Reads requests anew whose target has changed, as they are decided by what stands there now. Used by the session. */
import type { QueryClient } from '@tanstack/react-query';
import { keys } from './queries.ts';
import type { Approval } from './types.ts';

export const readRequestsAnew = (queries: QueryClient, isAbout: (approval: Approval) => boolean): void => {
  for (const [, approval] of queries.getQueriesData<Approval>({ queryKey: keys.everyApproval }))
    if (approval?.status === 'pending' && isAbout(approval))
      void queries.invalidateQueries({ queryKey: keys.approval(approval.id) });
};
