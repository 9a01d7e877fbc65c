/** What the statuses of runs mean for whoever looks at one, and how they look. Used by the action sheet and the runs page. */
import type { Run, RunStatus } from '../wire/types.ts';
import { runTexts } from './runTexts.tsx';

type RunTone = 'waits' | 'active' | 'done' | 'failed' | 'unclear' | 'ended';

export const runTones: Readonly<Record<RunStatus, RunTone>> = {
  pending: 'waits',
  queued: 'waits',
  running: 'active',
  succeeded: 'done',
  failed: 'failed',
  unknown: 'unclear',
  rejected: 'ended',
  expired: 'ended',
  cancelled: 'ended',
};

const texts = runTexts.meaning;

const meanings: Readonly<Record<RunStatus, (run: Run, appOnline: boolean | null) => string>> = {
  pending: () => texts.pending,
  queued: (_, appOnline) => (appOnline === false ? texts.queuedOffline : texts.queued),
  running: () => texts.running,
  succeeded: () => '',
  failed: () => texts.failed,
  unknown: ({ record }) => (record === null ? texts.unknown : texts.unknownOfRecord),
  rejected: () => texts.rejected,
  expired: ({ approval, startedAt }) =>
    approval !== null && startedAt === null ? texts.expiredUndecided : texts.expired,
  cancelled: () => texts.cancelled,
};

/** Returns what a run's status means for whoever looks at it; `appOnline` null: not known. */
export const meaningOf = (run: Run, appOnline: boolean | null): string => meanings[run.status](run, appOnline);
