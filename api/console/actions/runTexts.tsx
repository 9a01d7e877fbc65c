/** The texts of runs: how one stands, what that means, and what can be done with it. Used by the action sheet and the runs page. */
import type { ReactNode } from 'react';
import { plural } from '../ui/plural.ts';
import { count } from '../ui/time.ts';
import type { RunStatus } from '../wire/types.ts';

export const runTexts = {
  status: {
    pending: 'Waits for approval',
    queued: 'Queued',
    running: 'Running',
    succeeded: 'Done',
    failed: 'Failed',
    unknown: 'End unknown',
    rejected: 'Rejected',
    expired: 'Expired',
    cancelled: 'Cancelled',
  } satisfies Readonly<Record<RunStatus, string>>,
  meaning: {
    pending: 'Nothing has been done yet: somebody has to approve it first.',
    queued: 'Nothing has been done yet: it starts once the app is there and earlier runs of this record have ended.',
    queuedOffline: 'Nothing has been done yet: the app is offline. It starts by itself when the app is back.',
    running: 'The app is doing it. You can leave this page; it goes on.',
    failed: 'Nothing was done, as far as the app says. You can run it again.',
    unknown:
      'The app was given this, and no valid answer came: it may have been done, and it may not. Look in the app before you run it again. Running it again keeps its number, by which an app that has done it answers instead of doing it twice.',
    unknownOfRecord:
      'The app was given this, and no valid answer came: it may have been done, and it may not. Look at the record, or in the app, before you run it again. Running it again keeps its number, by which an app that has done it answers instead of doing it twice.',
    rejected: 'Somebody decided against it; nothing was done.',
    expired: 'The app did not come back in time; nothing was done. You can run it again.',
    expiredUndecided: 'Nobody decided, or the app did not come back, in time; nothing was done. You can run it again.',
    cancelled: 'It was taken back before it began; nothing was done.',
  },
  progress: (run: string) => `Progress of ${run}`,
  percent: (n: number) => `${count(n)} %`,
  expires: (when: string) => `expires ${when}`,
  input: 'Input',
  facts: {
    record: 'Record',
    item: 'Item',
    approval: 'Approval',
    bulk: 'Bulk',
    askedFor: 'Asked for',
    reason: 'Reason',
    started: 'Started',
    ended: 'Ended',
    run: 'Run',
  },
  asked: (who: ReactNode, when: ReactNode) => (
    <>
      by {who}, {when}
    </>
  ),
  askedAndApproved: (who: ReactNode, when: ReactNode, approver: ReactNode) => (
    <>
      by {who}, {when}, approved by {approver}
    </>
  ),
  givenToApp: (n: number) =>
    plural(n, { one: `given to the app ${count(n)} time`, other: `given to the app ${count(n)} times` }),
  ranTimes: (n: number) => plural(n, { one: `run ${count(n)} time`, other: `run ${count(n)} times` }),
  cancel: 'Cancel run',
  cancelled: (run: string) => `${run} is cancelled; nothing was done.`,
  again: 'Run again',
  running: 'Running…',
  againTitle: (run: string) => `Run ${run} again?`,
  reason: 'Reason',
  /** Begins the sentence that says that it is too long. */
  theReason: 'The reason',
  tickFirst: 'Tick that it is right first.',
  typeFirst: (word: string) => `Type ${word} first.`,
};
