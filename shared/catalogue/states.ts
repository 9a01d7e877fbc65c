/** States as data: what an inbox has by default, and every machine of states/, whose tables statements, checks and docs derive from. */
import { approvals } from './states/approvals.ts';
import { bulkChunks, bulks } from './states/bulks.ts';
import { connections } from './states/connections.ts';
import type { Machine } from './states/machine.ts';
import { ramps } from './states/ramps.ts';
import { replies } from './states/replies.ts';
import { runs } from './states/runs.ts';
import { stagedJobs } from './states/stagedJobs.ts';

export const stateKinds = ['open', 'waiting', 'closed'] as const;
type StateKind = (typeof stateKinds)[number];

export interface StateDefinition {
  readonly name: string;
  readonly kind: StateKind;
  readonly description?: string;
}

export const defaultStates: readonly StateDefinition[] = [
  { name: 'open', kind: 'open' },
  { name: 'waiting', kind: 'waiting' },
  { name: 'closed', kind: 'closed' },
];

/** The priorities of an inbox that declares none, the most urgent first. */
export const defaultPriorities: readonly string[] = ['urgent', 'high', 'normal', 'low'];
/** The priority of an item that nobody has given another. Rows have it by default (migrations/0075_itemPriority.ts). */
export const usualPriority = 'normal';

/** Every machine; docs/states.md shows them in this order. */
export const machines: readonly Machine[] = [
  runs,
  bulks,
  bulkChunks,
  approvals,
  replies,
  stagedJobs,
  ramps,
  connections,
];
