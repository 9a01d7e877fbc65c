/** The states of a bulk and of its chunks. Used by shared/bulk and the job and sweep of bulks. */
import { defineMachine, openStates, statesOf, statesOfKind, type StateOf } from './machine.ts';

export const bulks = defineMachine({
  name: 'bulks',
  table: 'bulks',
  status: (row) => `${row}.status`,
  states: {
    pending: { kind: 'waiting', meaning: 'a person has to approve it' },
    queued: { kind: 'active', meaning: 'its chunks have their jobs, and none has begun' },
    running: { kind: 'active', meaning: 'its first chunk has begun' },
    done: { kind: 'ended', meaning: 'every item has its result' },
    cancelled: {
      kind: 'ended',
      meaning: 'chunks and runs that had not begun were cancelled, the others have their results',
    },
  },
  transitions: [
    { from: null, to: 'pending', why: 'requested, needs an approval' },
    { from: null, to: 'queued', why: 'requested' },
    { from: null, to: 'done', why: 'requested by a query that no item matches' },
    { from: 'pending', to: 'queued', why: 'approved' },
    { from: 'pending', to: 'cancelled', why: 'cancelled or not approved' },
    { from: 'queued', to: 'running', why: 'a chunk is taken' },
    { from: 'queued', to: 'cancelled', why: 'cancelled' },
    { from: 'running', to: 'done', why: 'the last chunk has ended' },
    { from: 'running', to: 'cancelled', why: 'cancelled, and the last chunk has ended' },
  ],
});

export const bulkChunks = defineMachine({
  name: 'bulk chunks',
  table: 'bulk_chunks',
  status: (row) => `${row}.status`,
  states: {
    pending: { kind: 'active', meaning: 'not begun; its job begins it, of a pending bulk only after the approval' },
    running: { kind: 'active', meaning: 'its job is at it' },
    waiting: { kind: 'waiting', meaning: 'its items have their runs, which bring the results' },
    done: { kind: 'ended', meaning: 'all its items have their results' },
    cancelled: { kind: 'ended', meaning: 'cancelled before it was begun' },
  },
  transitions: [
    { from: null, to: 'pending', why: 'its bulk is requested' },
    { from: 'pending', to: 'running', why: 'taken by its job' },
    { from: 'pending', to: 'cancelled', why: 'its bulk is cancelled' },
    { from: 'running', to: 'done', why: 'all results are there' },
    { from: 'running', to: 'waiting', why: 'all runs are there' },
    { from: 'waiting', to: 'done', why: 'all results are there' },
    { from: 'done', to: null, why: 'its results were kept long enough' },
    { from: 'cancelled', to: null, why: 'its results were kept long enough' },
  ],
});

export type BulkStatus = StateOf<typeof bulks>;
export const bulkStatuses: readonly BulkStatus[] = statesOf(bulks);
/** Of bulks that have not ended. */
export const openBulkStatuses: readonly BulkStatus[] = openStates(bulks);
/** Of bulks whose chunks have their jobs. */
export const activeBulkStatuses: readonly BulkStatus[] = statesOfKind(bulks, 'active');
/** Of chunks that have no end yet. */
export const openChunkStatuses: readonly StateOf<typeof bulkChunks>[] = openStates(bulkChunks);
/** Of chunks that need their job. */
export const activeChunkStatuses: readonly StateOf<typeof bulkChunks>[] = statesOfKind(bulkChunks, 'active');
/** Of chunks that their runs end. */
export const waitingChunkStatuses: readonly StateOf<typeof bulkChunks>[] = statesOfKind(bulkChunks, 'waiting');

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
