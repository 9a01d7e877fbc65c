/** The states of a run. Used by shared/runs, shared/bulk and the jobs and sweeps of runs. */
import { defineMachine, openStates, statesLeftBy, statesOf, statesOfKind, type StateOf } from './machine.ts';

export const runs = defineMachine({
  name: 'runs',
  table: 'runs',
  status: (row) => `${row}.status`,
  states: {
    pending: { kind: 'waiting', meaning: 'a person has to approve it' },
    queued: {
      kind: 'active',
      meaning: 'it starts once the app is connected and earlier runs of its record have ended',
    },
    running: { kind: 'active', meaning: 'it may be dispatched, or the app has it and its answer is awaited' },
    succeeded: { kind: 'ended', meaning: 'the app has done it' },
    failed: { kind: 'ended', meaning: 'the app or a check refused it' },
    unknown: { kind: 'ended', meaning: 'it was dispatched and no valid answer came' },
    rejected: { kind: 'ended', meaning: 'a person rejected it' },
    expired: { kind: 'ended', meaning: 'neither the app nor an approval came in time' },
    cancelled: { kind: 'ended', meaning: 'it was cancelled before it was dispatched' },
  },
  transitions: [
    { from: null, to: 'pending', why: 'requested, needs an approval' },
    { from: null, to: 'queued', why: 'requested, has to wait' },
    { from: null, to: 'running', why: 'requested' },
    { from: 'pending', to: 'queued', why: 'approved, has to wait' },
    { from: 'pending', to: 'running', why: 'approved' },
    { from: 'pending', to: 'rejected', why: 'rejected by a person' },
    { from: 'pending', to: 'expired', why: 'its time is up' },
    { from: 'pending', to: 'cancelled', why: 'cancelled by a caller' },
    { from: 'pending', to: 'failed', why: 'a check fails' },
    { from: 'queued', to: 'running', why: 'dispatched' },
    { from: 'queued', to: 'expired', why: 'its time is up' },
    { from: 'queued', to: 'cancelled', why: 'cancelled by a caller' },
    { from: 'queued', to: 'cancelled', why: 'its bulk is cancelled' },
    { from: 'queued', to: 'failed', why: 'a check fails' },
    { from: 'queued', to: 'unknown', why: 'it ends while an earlier answer is missing' },
    { from: 'queued', to: 'succeeded', why: 'the app answers late' },
    { from: 'running', to: 'queued', why: 'the app has gone' },
    { from: 'running', to: 'succeeded', why: 'the app answers' },
    { from: 'running', to: 'failed', why: 'the app answers' },
    { from: 'running', to: 'failed', why: 'a check fails' },
    { from: 'running', to: 'unknown', why: 'the answer is not valid or does not come' },
    { from: 'running', to: 'cancelled', why: 'its bulk is cancelled' },
    { from: 'unknown', to: 'succeeded', why: 'the app answers late' },
    { from: 'unknown', to: 'failed', why: 'the app answers late' },
    { from: 'unknown', to: 'running', why: 'run again' },
    { from: 'unknown', to: 'queued', why: 'run again' },
    { from: 'failed', to: 'running', why: 'run again' },
    { from: 'failed', to: 'queued', why: 'run again' },
    { from: 'expired', to: 'running', why: 'run again' },
    { from: 'expired', to: 'queued', why: 'run again' },
  ],
});

export type RunStatus = StateOf<typeof runs>;
export const runStatuses: readonly RunStatus[] = statesOf(runs);
/** Of runs that have no outcome yet. */
export const openRunStatuses: readonly RunStatus[] = openStates(runs);
/** Of runs that may be dispatched, and of which one at a time is, in the queue of their record. */
export const activeRunStatuses: readonly RunStatus[] = statesOfKind(runs, 'active');
export const retryableRunStatuses: readonly RunStatus[] = statesLeftBy(runs, 'run again');
export const cancellableRunStatuses: readonly RunStatus[] = statesLeftBy(runs, 'cancelled by a caller');
