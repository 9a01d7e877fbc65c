/** Texts of the inbox: its list, an item, and a change of one. Loaded with the page; used by the files of this folder. */
import type { ReactNode } from 'react';
import type { EditedName } from '../../../shared/app/items/members.ts';
import { count, counted } from '../ui/plural.ts';

export const inboxTexts = {
  items: 'Items',
  none: 'Empty',
  noneYet: 'Nothing here. What comes next is announced at the top of this list.',
  searchesOn: 'Nothing found so far. More may match: the search goes on.',
  noneMatches: 'Nothing matches these filters. Take one away, or look at all.',
  openFirst: 'Press j for the first item, or ? for all keys.',
  openNext: 'Press j for the next item, k for the one before, or ? for all keys.',
  snoozed: 'snoozed',
  draft: 'Draft',
  dueAt: (time: string) => `Due ${time}`,
  lastSeenAt: (time: string) => `Last activity ${time}`,

  show: 'Show',
  shows: { open: 'Open', waiting: 'Waiting', closed: 'Closed', snoozed: 'Snoozed', all: 'All' },
  views: 'Views',
  ownViews: 'Yours',
  sharedViews: 'Shared',
  saveView: 'Save view…',
  changeView: 'View…',
  /** What the number of a list counts; `shown`: which items those are, null: of a view or all. */
  total: (n: number, shown: string | null) => (shown === null ? count(n) : `${count(n)} ${shown.toLowerCase()}`),
  moreThan: (n: number, shown: string | null) =>
    shown === null ? `more than ${count(n)}` : `more than ${count(n)} ${shown.toLowerCase()}`,
  totalAbout: 'How many items this list has. The number beside an inbox counts what is open or waiting there.',
  /** The option of a filter that the address lacks, which the view decides then. */
  ofView: 'As in the view',
  edited: {
    priority: {
      label: 'Priority',
      any: 'Any priority',
      order: 'Most urgent',
      set: 'Set priority to…',
      none: 'This inbox has no such priority.',
      is: (value: string) => `Priority ${value}`,
    },
  } satisfies Readonly<Record<EditedName, object>>,
  assignee: 'Assignee',
  anyone: 'Anyone',
  me: 'Me',
  nobody: 'Nobody',
  sort: 'Sort',
  sorts: {
    newest: 'Newest',
    quiet: 'Longest quiet',
    due: 'Due first',
    oldest: 'Oldest first',
    oftenest: 'Most often',
    users: 'Most users',
    title: 'Title',
  },
  overdue: 'Overdue',
  removeFilter: (tag: string) => `Remove the filter ${tag}`,
  /** Texts of an open item, its actions and its composer. */
  item: {
    wholeTitle: 'Show the whole title',
    foldTitle: 'Show less of it',
    gone: 'This item does not exist any more, or your role does not see it.',
    offline: 'The app is offline: what it would add here is missing.',

    /** For those who don't see what it is. */
    state: 'State: ',
    edited: (member: string) => `${member}: `,
    assignee: 'Assignee: ',
    snoozedUntil: (time: string) => `snoozed until ${time}`,
    times: (times: number) => counted(times, 'time', 'times'),
    timesAndUsers: (times: number, users: number) => `${count(times)} times, ${counted(users, 'user', 'users')}`,
    showTagged: (tag: string) => `Show what is tagged ${tag}`,
    close: 'Close',
    /** Where an item may end in several states. */
    closeAs: 'Close as…',
    assign: 'Assign',
    tag: 'Tag',
    snooze: 'Snooze',

    timeline: 'Timeline',
    linked: 'Linked',
    triage: 'Triage',
    item: 'Item',
    firstSeen: (time: ReactNode) => (
      <>
        <span className="soft">First seen</span> {time}
      </>
    ),
    activity: (time: ReactNode) => (
      <>
        <span className="soft">Activity</span> {time}
      </>
    ),

    actions: 'Actions',
    runAction: 'Run an action',

    reply: 'Reply',
    unfilled: (places: string) => `The reply has ${places}, which nothing fills in: it is sent as it is.`,
    replyLabel: 'Reply to the customer',
    replyPlaceholder: 'Write to the customer',
    /** Of somebody's reply while another one is being written; `isTold`: that was not sent, as it was not known. */
    answered: (who: string, isTold: boolean) =>
      isTold
        ? `Not sent: ${who} replied while you were writing. Send yours too if it is still needed.`
        : `${who} replied while you were writing.`,
    /** Of one's own reply of which no answer came, or which another tab sent. */
    answeredByMe: (isTold: boolean) =>
      isTold
        ? 'Not sent: a reply of yours has gone out since you began to write this one. Send this too if it is another.'
        : 'A reply of yours has gone out since you began to write this one.',
    showAnswer: 'Show it',
    sendReplyToo: 'Send it too',
    /** Whom a reply goes to. */
    to: (address: ReactNode) => <>To {address}</>,
    replyIsFinal: 'A reply can’t be taken back.',
    sendReply: 'Send reply',
    replySent: 'The reply is on its way.',
    replyWaits: 'The reply waits until the app is back.',
    note: 'Note',
    noteLabel: 'Note for colleagues',
    notePlaceholder: 'Write a note; only colleagues see it',
    addNote: 'Add note',
    noteAdded: 'Note added.',
    preview: 'Preview',
    /** Begins the sentence of a text that is too long. */
    theText: 'The text',
    reasonPlaceholder: 'Reason; this inbox wants one',
    then: 'Then',
    thenNothing: (state: string) => `Leave it ${state}`,
    thenSet: (state: string) => `then set to ${state}`,
    textKept: (problem: string) => `${problem} Your text is kept.`,
    notSent: {
      reply: (title: string, problem: string) => `The reply to “${title}” was not sent: ${problem}`,
      note: (title: string, problem: string) => `The note on “${title}” was not added: ${problem}`,
    },
  },
  /** Texts of a change of an item: how it went, and why it is made. */
  change: {
    /** Changes that were made, as the beginning of a sentence. */
    state: (state: string) => `Set to ${state}`,
    stateBack: (state: string) => `Set back to ${state}`,

    /** `change`: what was made, in such words. */
    done: (change: string, title: string) => `${change}: “${title}”`,
    failed: (change: string, title: string, problem: string) =>
      `Not done, ${change.toLowerCase()}: “${title}”. ${problem}`,
    unknown: (change: string, title: string, problem: string) =>
      `Perhaps not done, ${change.toLowerCase()}: “${title}”. ${problem}`,
    unreachable: 'The server could not be reached.',
    retry: 'Retry',
    /** Stands in the history as the reason of an undo. */
    undone: (reason: string) => `Undone: ${reason}`,
    askReason: (change: string) => `${change}: why?`,
    askReasonAbout: 'This inbox wants a reason for every change. It stands in the history.',

    /** Where somebody else was faster; `who`: a name, null: the timeline does not tell. */
    conflict: {
      same: (change: string, title: string, who: string | null) =>
        `${change}: “${title}”, by ${who ?? 'somebody else'} a moment ago`,
      other: (title: string, who: string | null) => `“${title}” was changed by ${who ?? 'somebody else'} a moment ago.`,
      theirs: 'Theirs',
      mine: 'Mine',
      doMine: 'Do mine',
      leaveTheirs: 'Leave theirs',
    },
  },
};
