/** Bulks of actions: what is checked before one is accepted, in the order of `POST /actions`. */
import { invalid } from '../catalogue/errors.ts';
import type { Caller } from '../access/principal.ts';
import { needsApproval } from '../actions/accept.ts';
import { allowedAction, filledInput, requireConfirmed, requireFresh } from '../actions/check.ts';
import type { ActionOperation, BulkOperation } from './schema.ts';

export interface ReadyBulk {
  /** With the input's defaults filled in. */
  readonly operation: BulkOperation;
  /** Whether a person has to approve it first. */
  readonly pending: boolean;
}

/** Throws what stands in the way. Rights on items and records are checked one by one when it runs. */
export const readyAction = (caller: Caller, operation: ActionOperation, freshUntil: number | null, at: number): ReadyBulk => {
  const action = allowedAction(caller, operation.action);
  requireFresh(caller, action, freshUntil, at);
  if (action.resource === null) throw invalid('operation.action', `${action.name} takes no record, so it can’t be run on items`);
  const input = filledInput(action, operation.input ?? {}, 'operation.input.');
  requireConfirmed(action, operation.confirmed ?? false, 'operation.confirmed');
  return { operation: { ...operation, input }, pending: needsApproval(caller, action) };
};
