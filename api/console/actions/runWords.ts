/** The statuses of runs in plain words: what each means, and what to do. Used by the action sheet and the runs page. */
import type { Run, RunStatus } from '../wire/types.ts';

type RunTone = 'waits' | 'active' | 'done' | 'failed' | 'unclear' | 'ended';

export const runLabels: Readonly<Record<RunStatus, { readonly label: string; readonly tone: RunTone }>> = {
  pending: { label: 'Waits for approval', tone: 'waits' },
  queued: { label: 'Queued', tone: 'waits' },
  running: { label: 'Running', tone: 'active' },
  succeeded: { label: 'Done', tone: 'done' },
  failed: { label: 'Failed', tone: 'failed' },
  unknown: { label: 'End unknown', tone: 'unclear' },
  rejected: { label: 'Rejected', tone: 'ended' },
  expired: { label: 'Expired', tone: 'ended' },
  cancelled: { label: 'Cancelled', tone: 'ended' },
};

const meanings: Readonly<Record<RunStatus, (run: Run, appOnline: boolean | null) => string>> = {
  pending: () => 'Nothing has been done yet: somebody has to approve it first.',
  queued: (_, appOnline) =>
    appOnline === false
      ? 'Nothing has been done yet: the app is offline. It starts by itself when the app is back.'
      : 'Nothing has been done yet: it starts once the app is there and earlier runs of this record have ended.',
  running: () => 'The app is doing it. You can leave this page; it goes on.',
  succeeded: () => '',
  failed: () => 'Nothing was done, as far as the app says. You can run it again.',
  unknown: ({ record }) =>
    `The app was given this, and no valid answer came: it may have been done, and it may not. Look ${
      record === null ? 'in the app' : 'at the record, or in the app,'
    } before you run it again. Running it again keeps its number, by which an app that has done it answers instead of doing it twice.`,
  rejected: () => 'Somebody decided against it; nothing was done.',
  expired: ({ approval, startedAt }) =>
    approval !== null && startedAt === null
      ? 'Nobody decided, or the app did not come back, in time; nothing was done. You can run it again.'
      : 'The app did not come back in time; nothing was done. You can run it again.',
  cancelled: () => 'It was taken back before it began; nothing was done.',
};

/** Returns what a run's status means for whoever looks at it; `appOnline` null: not known. */
export const meaningOf = (run: Run, appOnline: boolean | null): string => meanings[run.status](run, appOnline);
