/** Texts of an open item, its actions and its composer. Used by ItemDetail, ItemActions, Composer and useWriting. */
import type { ReactNode } from 'react';
import { plural } from '../ui/plural.ts';
import { count } from '../ui/time.ts';

export const itemTexts = {
  back: '← List',
  wholeTitle: 'Show the whole title',
  foldTitle: 'Show less of it',
  gone: 'This item does not exist any more, or your role does not see it.',
  offline: 'The app is offline: what it would add here is missing.',

  /** For those who don't see what it is. */
  state: 'State: ',
  assignee: 'Assignee: ',
  snoozedUntil: (time: string) => `snoozed until ${time}`,
  times: (times: number) => plural(times, { one: `${count(times)} time`, other: `${count(times)} times` }),
  timesAndUsers: (times: number, users: number) =>
    `${count(times)} times, ${plural(users, { one: `${count(users)} user`, other: `${count(users)} users` })}`,
  showTagged: (tag: string) => `Show what is tagged ${tag}`,
  close: 'Close',
  /** Where an item may end in several states. */
  closeAs: 'Close as…',
  assign: 'Assign',
  tag: 'Tag',
  snooze: 'Snooze',

  timeline: 'Timeline',
  showEarlier: 'Show what happened earlier',
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
  /** Begin the sentence of a text that is too long. */
  theText: 'The text',
  theReason: 'The reason',
  reason: 'Reason',
  reasonPlaceholder: 'Reason; this inbox wants one',
  then: 'Then',
  thenNothing: (state: string) => `Leave it ${state}`,
  thenSet: (state: string) => `then set to ${state}`,
  textKept: (problem: string) => `${problem} Your text is kept.`,
  notSent: {
    reply: (title: string, problem: string) => `The reply to “${title}” was not sent: ${problem}`,
    note: (title: string, problem: string) => `The note on “${title}” was not added: ${problem}`,
  },
};
