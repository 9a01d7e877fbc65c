/** Approving a flag's change: only if nothing but steps of a ramp has changed the flag since. */
import { applyFlagChange } from '../../flags/changeFlag.ts';
import { emptyEffects, type PrepareEffect } from './effect.ts';

export const prepareFlagApproval: PrepareEffect<'flag'> = ({ deps, approval, requester, decidedBy }) => {
  const { flag, change, changes } = approval.request;
  return Promise.resolve(async (tx) => ({
    ...emptyEffects,
    flag: await applyFlagChange(deps, tx, requester, flag, change, { expectedChanges: changes, approvedBy: decidedBy }),
  }));
};
