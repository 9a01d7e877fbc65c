/** Whether approving a request needs a second word: what can't be undone, actions and flags of high danger, and actions that the person does not know, as who decides need not be allowed to run them. Used by ApprovalsPage. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../shell/session.ts';
import { actionsQuery } from '../wire/actionQueries.ts';
import { flagQuery } from '../wire/flagQueries.ts';
import type { Approval } from '../wire/types.ts';

/** Returns the action of a request, or of the bulk that waits for it. */
const actionOf = ({ action, operation }: Approval): string | null => {
  const { action: ofBulk }: { readonly action?: unknown } = operation ?? {};
  return action ?? (typeof ofBulk === 'string' ? ofBulk : null);
};

/** Returns true also as long as what is asked for is not known. */
export const useIsGrave = (approval: Approval | undefined): boolean => {
  const { http } = useSession();
  const isOpen = approval?.status === 'pending' && approval.canDecide.approve && approval.reversible !== false;
  const named = isOpen ? actionOf(approval) : null;
  const flag = isOpen ? approval.flag : null;
  const actions = useQuery({ ...actionsQuery(http), enabled: named !== null });
  const flags = useQuery({ ...flagQuery(http, flag ?? ''), enabled: flag !== null, retry: false });
  if (approval?.reversible === false) return true;
  if (named !== null) {
    const known = actions.data?.find(({ name }) => name === named);
    return known === undefined || known.danger === 'high';
  }
  return flag !== null && (flags.data === undefined || flags.data.danger === 'high');
};
