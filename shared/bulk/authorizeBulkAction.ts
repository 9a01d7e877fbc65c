/** The checks of a bulk of actions before it is accepted, in the order of `POST /actions`. Used by `POST /bulk`. */
import type { Caller } from '../accounts/access/principal.ts';
import { invalidAt } from '../catalogue/errors.ts';
import type { RecordRef } from '../items/model.ts';
import { withPathPrefix } from '../platform/json/validate.ts';
import { requiresApproval } from '../runs/accept/acceptAction.ts';
import {
  fillInput,
  requireConfirmed,
  requireFreshSignIn,
  requireReason,
  requireRunnableAction,
} from '../runs/authorizeAction.ts';
import type { BulkActionBody, BulkOperationBody } from './schema.ts';

export interface AuthorizedBulk {
  /** With the input's defaults filled in. */
  readonly operation: BulkOperationBody;
  /** Whether a person has to approve it first. */
  readonly requiresApproval: boolean;
}

/** Returns the operation with its input filled in, or throws the first fault. Rights on items and records are checked when it runs. */
export const authorizeBulkAction = (
  caller: Caller,
  operation: BulkActionBody,
  freshUntil: number | null,
  at: number,
): AuthorizedBulk => {
  const action = withPathPrefix('operation', () => requireRunnableAction(caller, operation.action));
  requireFreshSignIn(caller, action, freshUntil, at);
  if (action.resource === null)
    throw invalidAt('operation.action', `${action.name} takes no record, so it can’t be run on items`);
  const input = fillInput(action, operation.input ?? {}, 'operation.input.');
  requireReason(caller, action);
  requireConfirmed(action, operation.confirmed ?? false, 'operation.confirmed');
  return { operation: { ...operation, input }, requiresApproval: requiresApproval(caller, action) };
};

/** Returns the operation of a bulk that names records. Throws `invalid` for one of another resource than the action’s. */
export const overRecords = (
  { env }: Caller,
  operation: BulkOperationBody,
  refs: readonly RecordRef[],
): BulkOperationBody => {
  const name = String(operation['action']);
  const resource = env.definition.actions.get(name)?.resource ?? null;
  const other = refs.findIndex((ref) => ref.resource !== resource);
  if (other !== -1)
    throw invalidAt(`refs.${String(other)}.resource`, `must be ${String(resource)}, whose records ${name} is for`);
  return { ...operation, records: resource };
};
