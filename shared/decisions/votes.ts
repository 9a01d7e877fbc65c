/** Votes on an approval that needs several: those that still hold when the last one comes. For decide.ts. */
import type { Caller } from '../accounts/access/principal.ts';
import { readRequester } from '../accounts/requester.ts';
import { requireIndependent } from '../accounts/settings/independence.ts';
import type { Approval, ApprovalVote } from '../approvals/model.ts';
import { canSee } from '../approvals/queries.ts';
import { mayDecide, rolesAllow } from '../approvals/rights.ts';
import { Fault } from '../catalogue/errors.ts';
import type { PresentedApproval } from '../views/approvals/present.ts';
import type { ViewDeps } from '../views/deps.ts';

/** Presents the approval as a person would read it now. */
type Present = (voter: Caller) => Promise<PresentedApproval>;

/** Returns whether a vote still holds: its person may decide, and sees what they saw. */
const holds = async (deps: ViewDeps, approval: Approval, vote: ApprovalVote, present: Present): Promise<boolean> => {
  const { id } = vote.by;
  if (id === null) return false;
  const voter = await readRequester(deps, {
    env: approval.env,
    actor_type: 'person',
    actor: id,
    request_id: null,
    address: null,
  });
  if (voter === null || !mayDecide(voter.principal) || !canSee(voter, approval)) return false;
  if (!rolesAllow(approval.roles, voter.principal.role?.name ?? null)) return false;
  try {
    await requireIndependent(deps.db, approval.id, id, deps.clock.now());
  } catch (error) {
    if (error instanceof Fault && error.code === 'forbidden') return false;
    throw error;
  }
  return (await present(voter))['digest'] === vote.digest;
};

/** Returns the votes of the approval that still hold, in their order. */
export const holdingVotes = async (deps: ViewDeps, approval: Approval, present: Present): Promise<ApprovalVote[]> => {
  const kept: ApprovalVote[] = [];
  for (const vote of approval.votes ?? []) if (await holds(deps, approval, vote, present)) kept.push(vote);
  return kept;
};
