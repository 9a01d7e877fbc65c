/** Approving a flag's change: only if nothing but steps of a ramp has changed the flag since. */
import { applyFlagChange } from '../../flags/change.ts';
import { noEffects, type Prepare } from './effect.ts';

export const approveFlag: Prepare<'flag'> = ({ deps, approval, requester, decidedBy }) => {
  const { flag, change, changes } = approval.request;
  return Promise.resolve(async (tx) => ({
    ...noEffects,
    flag: await applyFlagChange(deps, tx, requester, flag, change, { expectedChanges: changes, approvedBy: decidedBy }),
  }));
};
