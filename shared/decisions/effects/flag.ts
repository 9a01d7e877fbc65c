/** The effect of approving a flag's change. */
import { applyFlagChange } from '../../flags/changeFlag.ts';
import { emptyEffects, type PrepareEffect } from './effect.ts';

/** Changes the flag. Throws `stale` when anything but ramp steps has changed the flag since the request. */
export const prepareFlagApproval: PrepareEffect<'flag'> = ({ deps, approval, requester, decidedBy }) => {
  const { flag, change, changes } = approval.request;
  return Promise.resolve(async (tx) => ({
    ...emptyEffects,
    flag: await applyFlagChange(deps, tx, requester, flag, change, { expectedChanges: changes, approvedBy: decidedBy }),
  }));
};
