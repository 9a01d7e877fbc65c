/** Decides who sees an approval: its requester, and principals that may see approvals and see the target. For queries.ts and the live stream. */
import type { Access } from '../accounts/access/access.ts';
import type { ApprovalTarget } from './model.ts';

/** Returns whether the role sees the target of the approval. */
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

/** Returns whether a principal sees the approval; `own`: it is the requester. */
export const canSeeApproval = (access: Access, own: boolean, target: ApprovalTarget): boolean =>
  own || (access.may('approvals', 'see') && canSeeTarget(access, target));
