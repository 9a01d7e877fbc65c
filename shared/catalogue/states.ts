/** Item states and bulk states as data: what an inbox has by default and which bulk statuses follow each other. */

export const stateKinds = ['open', 'waiting', 'closed'] as const;
type StateKind = (typeof stateKinds)[number];

export interface StateDefinition {
  readonly name: string;
  readonly kind: StateKind;
}

export const defaultStates: readonly StateDefinition[] = [
  { name: 'open', kind: 'open' },
  { name: 'waiting', kind: 'waiting' },
  { name: 'closed', kind: 'closed' },
];

export const bulkStatuses = ['pending', 'queued', 'running', 'done', 'cancelled'] as const;
export type BulkStatus = (typeof bulkStatuses)[number];

export const bulkOutcomes = [
  'changed',
  'unchanged',
  'failed',
  'forbidden',
  'not_found',
  'conflict',
  'cancelled',
] as const;
export type BulkOutcome = (typeof bulkOutcomes)[number];

export const runStatuses = [
  'pending',
  'queued',
  'running',
  'succeeded',
  'failed',
  'unknown',
  'rejected',
  'expired',
  'cancelled',
] as const;
export type RunStatus = (typeof runStatuses)[number];

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired', 'cancelled', 'stale'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];
