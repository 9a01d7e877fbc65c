/** The states of an approval. Used by shared/approvals and the sweep of approvals. */
import { defineMachine, openStates, statesOf, type StateOf } from './machine.ts';

export const approvals = defineMachine({
  name: 'approvals',
  table: 'approvals',
  status: (row) => `${row}.status`,
  states: {
    pending: { kind: 'waiting', meaning: 'nobody has decided yet' },
    approved: { kind: 'ended', meaning: 'a person approved it, and its effect was written with that' },
    rejected: { kind: 'ended', meaning: 'a person rejected it' },
    expired: { kind: 'ended', meaning: 'nobody decided in time' },
    cancelled: { kind: 'ended', meaning: 'who asked for it withdrew it, or cancelled its run or bulk' },
    answered: { kind: 'ended', meaning: 'a person answered the question' },
    stale: { kind: 'ended', meaning: 'what it asks for can not be done any more' },
  },
  transitions: [
    { from: null, to: 'pending', why: 'requested' },
    { from: 'pending', to: 'approved', why: 'approved' },
    { from: 'pending', to: 'rejected', why: 'rejected' },
    { from: 'pending', to: 'answered', why: 'answered' },
    { from: 'pending', to: 'expired', why: 'its time is up' },
    { from: 'pending', to: 'cancelled', why: 'cancelled' },
    { from: 'pending', to: 'stale', why: 'a check fails, or its action is declared no more' },
  ],
});

export type ApprovalStatus = StateOf<typeof approvals>;
export const approvalStatuses: readonly ApprovalStatus[] = statesOf(approvals);
export const openApprovalStatuses: readonly ApprovalStatus[] = openStates(approvals);
