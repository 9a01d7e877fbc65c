/** The texts of the action sheet, the list of actions, the actions of a record, and the fields of a form. Used by the files of this folder. */
import type { ReactNode } from 'react';
import { count, counted } from '../ui/plural.ts';
import type { ActionDryRun, RunStatus } from '../wire/types.ts';

export const actionTexts = {
  picker: {
    title: 'Run an action',
    placeholder: 'Run an action…',
    none: 'There is no such action that you may run.',
    suggested: 'suggested',
    takesNoRecord: 'takes no record',
    highDanger: (title: string) => `high danger · ${title}`,
  },
  allActions: 'All actions',
  suggested: (why: string) => `Suggested: ${why}`,
  lacksRecord: 'This action is run on a record: open the record, and run it there.',
  unavailable: 'Your role may not run this action, or the app does not declare it any more.',
  needsApproval: 'Somebody has to approve this before it is done.',
  restored: 'This is what you had typed before.',
  beginAfresh: 'Begin afresh',
  reason: 'Reason, for the history',
  /** `what`: the API's, such as "is missing". */
  reasonProblem: (what: string) => `The reason ${what}`,
  asForm: 'As a form',
  asJson: 'As JSON',
  tryOut: 'Dry run',
  triedOut: 'Nothing was done.',
  triedInput: 'The input as the app would get it',
  outlook: {
    run: 'It would run now.',
    start: 'It would start now, and go on in the background.',
    queue: 'It would wait until the app is there and earlier runs of this record have ended.',
    pend: 'It would wait until somebody approves it.',
  } satisfies Readonly<Record<ActionDryRun['would'], string>>,
  running: 'Running…',
  askForApproval: 'Ask for approval',
  seeMarked: 'Nothing was done: see what is marked above.',
  appRefused: (why: string) => `The app refused: ${why}`,
  failed: (action: string, why: string) => `${action}: ${why}`,
  showRun: 'Show the run',
  showUnderRuns: 'Show under Runs',
  goesOn: (action: string) => `${action} goes on; see it under Runs.`,
  underWayOrDone: (action: string) => `${action} is under way or done; see it under Runs.`,
  confirmation: {
    checked: 'I have checked that this is right.',
    highDanger: 'High danger.',
    canBeUndone: 'It can be undone afterwards.',
    canNotBeUndone: 'It can’t be undone.',
    /** The same twice: with an element, and as the name of the input. */
    typeToGoOn: (word: ReactNode) => <>Type {word} to go on.</>,
    typeToGoOnName: (word: string) => `Type ${word} to go on`,
  },
  /** The texts of the fields of an action's form: how they are filled, and what is wrong with what was typed. */
  field: {
    /** The name of a whole input that has no fields. */
    input: 'Input',
    yes: 'Yes',
    no: 'No',
    choose: 'Choose…',
    notGiven: 'Not given',
    asJson: 'as JSON',
    /** The name of one of a list's fields, counted from 1. */
    row: (label: string, n: number) => `${label} ${String(n)}`,
    add: (label: string) => `Add ${label.toLowerCase()}`,
    remove: 'Remove',
    removeRow: (label: string, n: number) => `Remove ${label} ${String(n)}`,
    /** `what`: one of those below, or the API's, such as "is missing". */
    problem: (field: string, what: string) => `${field} ${what}`,
    isRequired: 'is required',
    /** Of a date or a time of which only a part is typed. */
    isIncomplete: 'is not complete',
    isNoNumber: 'is not a number; write it like 12.5',
    isNoJson: (why: string) => `is not JSON: ${why}`,
    hasMore: 'has members that the form does not show',
    limits: {
      atLeast: (n: number) => `at least ${String(n)}`,
      moreThan: (n: number) => `more than ${String(n)}`,
      atMost: (n: number) => `at most ${String(n)}`,
      lessThan: (n: number) => `less than ${String(n)}`,
    },
  },
  /** The texts of runs: how one stands, what that means, and what can be done with it. */
  runs: {
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
      expiredUndecided:
        'Nobody decided, or the app did not come back, in time; nothing was done. You can run it again.',
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
    givenToApp: (n: number) => `given to the app ${counted(n, 'time', 'times')}`,
    ranTimes: (n: number) => `run ${counted(n, 'time', 'times')}`,
    cancel: 'Cancel run',
    cancelled: (run: string) => `${run} is cancelled; nothing was done.`,
    again: 'Run again',
    againTitle: (run: string) => `Run ${run} again?`,
    tickFirst: 'Tick that it is right first.',
    typeFirst: (word: string) => `Type ${word} first.`,
  },
};
