/** How dangerous what a request asks for is declared to be, and whether approving it needs a second word. Used by ApprovalsPage and Decision. */
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

/** Returns the danger of the action or the flag of a pending request; null: it has neither, or it is not declared; undefined: not known. */
const useDanger = (approval: Approval | undefined): string | null | undefined => {
  const { http } = useSession();
  const pending = approval?.status === 'pending' ? approval : undefined;
  const named = pending === undefined ? null : actionOf(pending);
  const flag = pending?.flag ?? null;
  const actions = useQuery({ ...actionsQuery(http), enabled: named !== null });
  const flags = useQuery({ ...flagQuery(http, flag ?? ''), enabled: flag !== null, retry: false });
  if (named !== null) return actions.data?.find(({ name }) => name === named)?.danger;
  return flag === null ? null : flags.data?.danger;
};

/** Returns whether what a request asks for is known to be of high danger. */
export const useIsDangerous = (approval: Approval): boolean => useDanger(approval) === 'high';

/**
 * Returns whether approving a request needs a second word: what can't be undone, actions and flags of high danger, and actions that the
 * person does not know, as who decides need not be allowed to run them. True also as long as what is asked for is not known.
 */
export const useIsGrave = (approval: Approval | undefined): boolean => {
  const danger = useDanger(approval);
  if (approval?.reversible === false) return true;
  return approval?.canDecide.approve === true && (danger === undefined || danger === 'high');
};
