/** Who sees an approval: whoever asked for it, and who may see approvals and sees what it is about. */
import type { Access } from '../access/access.ts';
import type { ApprovalTarget } from './model.ts';

/** Whether the role sees what the approval is about. */
const canSeeTarget = (access: Access, { kind, action, resource, flag, inbox, inboxes }: ApprovalTarget): boolean => {
  switch (kind) {
    case 'action':
      return (
        (inbox === null || access.sees('inbox', inbox)) &&
        (resource === null ? access.can('action', action ?? '', 'run') : access.sees('resource', resource))
      );
    case 'flag':
      return access.sees('flag', flag ?? '');
    case 'item':
      return access.sees('inbox', inbox ?? '');
    case 'bulk':
      return (
        (inboxes ?? []).every((name) => access.sees('inbox', name)) &&
        (action === null || (resource !== null && access.sees('resource', resource)))
      );
  }
};

export const canSeeApproval = (access: Access, own: boolean, target: ApprovalTarget): boolean =>
  own || (access.may('approvals', 'see') && canSeeTarget(access, target));
