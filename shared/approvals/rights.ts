/** Who sees an approval, and who may decide it, and why not. For the endpoints, views/approvals/ and the live stream. */
import type { Access } from '../accounts/access/access.ts';
import type { Principal } from '../accounts/access/principal.ts';
import { dependentMessage } from '../accounts/settings/independence.ts';
import type { ApprovalStatus } from '../catalogue/states/approvals.ts';
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
    case 'question':
      return inbox === null || access.sees('inbox', inbox);
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

/** Who reads an approval. */
export interface ApprovalReader extends Pick<Principal, 'access'> {
  /** null: any of those who see the same by their role, and requested nothing of it themselves. */
  readonly id: string | null;
  /** The name of the role; null: not known. */
  readonly role: string | null;
  /** Whether it is a person whose role may decide approvals. */
  readonly decides: boolean;
}

interface CanDecide {
  readonly approve: boolean;
  readonly why: string | null;
}

/** What tells whether somebody may decide an approval. */
interface DecidedApproval {
  readonly kind: ApprovalTarget['kind'];
  readonly status: ApprovalStatus;
  readonly expiresAt: number;
  readonly requestedBy: { readonly id: string | null };
  /** The people whom the rule of independent approval keeps from deciding it. */
  readonly barred: readonly string[];
  /** Names of the roles whose people may decide it; null: all that may decide. */
  readonly roles: readonly string[] | null;
  readonly votes: readonly { readonly by: { readonly id: string | null } }[];
}

export const questionMessage = 'This is a question; answer it.';
export const ownRequestMessage = 'You requested this approval; another person has to decide it.';

/** Returns whether the principal is a person whose role may decide approvals. */
export const mayDecide = ({ type, access }: Pick<Principal, 'type' | 'access'>): boolean =>
  type === 'person' && access.may('approvals', 'decide');

/** Returns whether people of the role may decide an approval that is for certain roles. */
export const rolesAllow = (roles: readonly string[] | null, role: string | null): boolean =>
  roles === null || (role !== null && roles.includes(role));

export const otherRoleMessage = (roles: readonly string[]): string =>
  `Only people with the role ${roles.join(' or ')} can decide this.`;
export const votedMessage = 'You have approved this; another person has to approve it too.';

/** Returns a principal as a reader of approvals. */
export const toReader = (principal: Pick<Principal, 'type' | 'id' | 'access' | 'role'>): ApprovalReader => ({
  access: principal.access,
  id: principal.id,
  role: principal.role?.name ?? null,
  decides: mayDecide(principal),
});

const reasonAgainst = (
  { kind, status, expiresAt, requestedBy, barred, roles, votes }: DecidedApproval,
  { id, role, decides }: ApprovalReader,
  at: number,
): string | null => {
  if (status !== 'pending') return `This approval is ${status}.`;
  if (expiresAt <= at) return 'This approval has expired.';
  if (kind === 'question') return questionMessage;
  if (id !== null && requestedBy.id === id) return ownRequestMessage;
  if (!decides) return 'Only people whose role may decide approvals can decide this.';
  if (roles !== null && !rolesAllow(roles, role)) return otherRoleMessage(roles);
  if (id !== null && votes.some(({ by }) => by.id === id)) return votedMessage;
  return id !== null && barred.includes(id) ? dependentMessage : null;
};

/** Returns whether the reader may approve or reject at the time `at`; `why`: what stands against it. */
export const canDecideApproval = (approval: DecidedApproval, reader: ApprovalReader, at: number): CanDecide => {
  const why = reasonAgainst(approval, reader, at);
  return { approve: why === null, why };
};
