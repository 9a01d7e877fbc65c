/** Whether a reader may decide an approval, and why not. For views/approvals/ and the live stream. */
import type { Principal } from '../accounts/access/principal.ts';
import { dependentMessage } from '../accounts/settings/independence.ts';
import type { ApprovalStatus } from '../catalogue/states/approvals.ts';

/** Who reads an approval. */
export interface ApprovalReader extends Pick<Principal, 'access'> {
  /** null: any of those who see the same by their role, and requested nothing of it themselves. */
  readonly id: string | null;
  /** Whether it is a person whose role may decide approvals. */
  readonly decides: boolean;
}

interface CanDecide {
  readonly approve: boolean;
  readonly why: string | null;
}

/** What tells whether somebody may decide an approval. */
interface DecidedApproval {
  readonly status: ApprovalStatus;
  readonly expiresAt: number;
  readonly requestedBy: { readonly id: string | null };
  /** The people whom the rule of independent approval keeps from deciding it. */
  readonly barred: readonly string[];
}

export const ownRequestMessage = 'You requested this approval; another person has to decide it.';

/** Returns whether the principal is a person whose role may decide approvals. */
export const mayDecide = ({ type, access }: Pick<Principal, 'type' | 'access'>): boolean =>
  type === 'person' && access.may('approvals', 'decide');

/** Returns a principal as a reader of approvals. */
export const toReader = (principal: Pick<Principal, 'type' | 'id' | 'access'>): ApprovalReader => ({
  access: principal.access,
  id: principal.id,
  decides: mayDecide(principal),
});

const reasonAgainst = (
  { status, expiresAt, requestedBy, barred }: DecidedApproval,
  { id, decides }: ApprovalReader,
  at: number,
): string | null => {
  if (status !== 'pending') return `This approval is ${status}.`;
  if (expiresAt <= at) return 'This approval has expired.';
  if (id !== null && requestedBy.id === id) return ownRequestMessage;
  if (!decides) return 'Only people whose role may decide approvals can decide this.';
  return id !== null && barred.includes(id) ? dependentMessage : null;
};

/** Returns whether the reader may approve or reject at the time `at`; `why`: what stands against it. */
export const canDecideApproval = (approval: DecidedApproval, reader: ApprovalReader, at: number): CanDecide => {
  const why = reasonAgainst(approval, reader, at);
  return { approve: why === null, why };
};
