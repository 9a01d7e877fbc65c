/** Checks the author of a reply once more before it is handed over, as it may have waited. For workers/jobs/replySend.ts. */
import { principalModeFault } from '../accounts/access/gates.ts';
import { withoutSupervision } from '../accounts/access/principal.ts';
import type { DomainDeps } from '../accounts/deps.ts';
import { requireApprovedIfSupervised, requireRequester } from '../accounts/requester.ts';
import { Fault } from '../catalogue/errors.ts';
import type { Item } from '../items/model.ts';
import { gateItemChange } from '../items/perform/gate.ts';
import type { ReplyRequest } from './replyRequest.ts';

type Refusing = Pick<DomainDeps, 'directory'>;

const refusalNow = async (
  deps: Refusing,
  envId: number,
  item: Item,
  { actor: { type, id }, requestId, address, approvedBy }: ReplyRequest,
): Promise<string | null> => {
  // Only agents and people have rights that may end.
  if (id === null || (type !== 'agent' && type !== 'person')) return null;
  try {
    const caller = await requireRequester(deps, {
      env: envId,
      actor_type: type,
      actor: id,
      request_id: requestId,
      address,
    });
    requireApprovedIfSupervised(caller, approvedBy !== null);
    const principal = withoutSupervision(caller.principal);
    return gateItemChange({ ...caller, principal }, 'reply', item) instanceof Fault
      ? (principalModeFault(principal)?.message ??
          `Whoever asked for this may not reply in the inbox ${item.inbox} any more.`)
      : null;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
};

/** Returns why a reply may not be sent now by the rights of its author, or null. Looks twice, as the directory may have been outdated. */
export const replyRefusal = async (
  deps: Refusing,
  envId: number,
  item: Item,
  request: ReplyRequest,
): Promise<string | null> => {
  if ((await refusalNow(deps, envId, item, request)) === null) return null;
  await deps.directory.refresh();
  return refusalNow(deps, envId, item, request);
};
