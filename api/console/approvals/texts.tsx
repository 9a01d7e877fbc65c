/** The texts of approvals: a request and what it would change, the verdict on it, and the queue. Used by the files of this folder. */
import type { ReactNode } from 'react';
import type { EndedStatus } from '../shell/address.ts';
import { count, inSentence, listed, plural, counted } from '../ui/plural.ts';
import type { Approval, BulkDryRun } from '../wire/types.ts';

/** Members of an item within a sentence, by the API's name. */
const partNames: Readonly<Record<string, string>> = { assign: 'assignee', snoozedUntil: 'snooze' };

const requestsText = (n: number): string => counted(n, 'request', 'requests');

type BulkCounts = Pick<BulkDryRun, 'matched' | 'wouldChange' | 'unchanged' | 'forbidden' | 'failed'>;

export const requestTexts = {
  /** `type`: the API's name of what asked, such as "agent". */
  asked: (who: ReactNode, type: string, when: ReactNode) => (
    <>
      {who} ({type}) asked {when}
    </>
  ),
  expires: (when: string) => `expires ${when}`,
  undo: {
    unknown: 'The app doesn’t say whether it can be undone',
    possible: 'Can be undone',
    impossible: 'Can’t be undone',
    /** Of a change of an item that also writes a note. */
    butNote: 'Can be undone, but for its note',
    /** Of a reply, a note, or a new item. */
    stays: 'Stays once it is done',
  },
  highDanger: 'High danger',
  /** What became of a requester's requests: such as "3 were approved", "1 waits". */
  record: (counts: readonly string[]) => `Of this requester’s requests, ${listed(counts)}.`,
  recordCounts: {
    approved: (n: number, said: string) => plural(n, { one: `${said} was approved`, other: `${said} were approved` }),
    rejected: (n: number, said: string) => plural(n, { one: `${said} was rejected`, other: `${said} were rejected` }),
    /** Expired, taken back, or out of date. */
    undecided: (n: number, said: string) =>
      plural(n, { one: `${said} ended undecided`, other: `${said} ended undecided` }),
    pending: (n: number, said: string) => plural(n, { one: `${said} waits`, other: `${said} wait` }),
  },
  /** Above what the requester wrote, which may try to read like a sentence of the console. */
  theirReason: (who: string) => `Reason, in the words of ${who}`,
  noReason: 'The requester gave no reason of their own.',
  /** `title`: of the item whose timeline shows the request, or that it would change. */
  ofItem: (title: ReactNode) => <>Item: {title}</>,
  /** Texts of the recent entries of a request’s item. */
  item: {
    message: 'Latest message',
    /** Of a report in which nobody wrote anything. */
    report: 'Latest report',
    notes: 'Newest notes and replies',
    /** `n`: entries of the timeline. */
    since: (n: number) => counted(n, 'entry since this was asked for', 'entries since this was asked for'),
    sinceMany: (n: number) => `More than ${count(n)} entries since this was asked for`,
    earlier: (n: number) => `${count(n)} more before these`,
    cut: (text: string) => `${text}…`,
  },
  openFlag: 'Open the flag',
  notGiven: 'left out',
  /** `about`: what the app declares of a member, such as "absent: all of it". */
  leftOut: (label: string, about: string) => `${label}: left out. ${about}`,
  isLeftOut: (label: string) => `${label}: left out`,
  /** A number that the request gives, such as "Amount 5". */
  figure: (label: string, value: string) => `${label} ${value}`,
  /** An amount of the record, such as "Order total 129 EUR"; `resource`: what the record is, such as "Order". */
  sum: (resource: string, label: string, amount: string) => `${resource} ${inSentence(label)} ${amount}`,
  input: 'Input',
  change: 'Change',
  /** Beside the name of a record: what it is, and that it is shown as it is now. */
  now: (resource: string) => `${resource}, now`,
  others: 'Also waiting on the same target',
  bulk: {
    effect: ({ matched, wouldChange, unchanged, forbidden, failed }: BulkCounts) =>
      [
        wouldChange === matched
          ? `Would change ${count(matched)}`
          : `Would change ${count(wouldChange)} of ${count(matched)}`,
        ...(unchanged > 0 ? [`leave ${count(unchanged)} as they are`] : []),
        ...(forbidden > 0 ? [`${count(forbidden)} the requester may not`] : []),
        ...(failed > 0 ? [`${count(failed)} can’t be`] : []),
      ].join(', '),
    items: 'Items',
    records: 'Records',
    more: (n: number) => `and ${count(n)} more`,
    problems: 'Why the others would not change',
  },
  /** What has changed between the reading of a request and its approval. */
  sinceSeen: { title: 'Changed since you read it', before: 'As you read it' },
  difference: {
    title: 'What it changes',
    before: 'When asked',
    now: 'Now',
    after: 'After',
    unknown: 'not known',
  },
  /** The texts of a decision, and of the end of a request. */
  verdict: {
    /** By the API's names of what is no longer pending. */
    ends: {
      approved: 'Approved',
      answered: 'Answered',
      rejected: 'Rejected',
      expired: 'Expired: nobody decided in time',
      cancelled: 'Taken back by whoever asked',
      stale: 'Can’t be approved any more',
    } satisfies Readonly<Partial<Record<Approval['status'], string>>>,
    /** The same within a sentence. */
    endsInSentence: {
      approved: 'approved',
      answered: 'answered',
      rejected: 'rejected',
      expired: 'expired',
      cancelled: 'taken back',
      stale: 'out of date',
    } satisfies Readonly<Partial<Record<Approval['status'], string>>>,
    /** `when`: such as "just now", or empty. */
    wasFaster: (who: string, end: string, when: string) =>
      `${who} was faster: ${when === '' ? end : `${end} ${when}`}. Your decision changed nothing.`,
    tooLate: (end: string, when: string) =>
      `It was ${when === '' ? end : `${end} ${when}`} already. Your decision changed nothing.`,
    changed: 'Nothing was approved: this has changed since you read it. Look at it again, and decide anew.',
    ended: (end: ReactNode, when: ReactNode) => (
      <>
        {end} {when}
      </>
    ),
    endedBy: (end: ReactNode, who: string, when: ReactNode) => (
      <>
        {end} by {who} {when}
      </>
    ),
    /** Before what an approval began. */
    ledTo: 'It led to:',
    unseenRun: 'It led to a run that your role does not see.',
    unseenBulk: 'It led to a bulk that your role does not see.',
    mayNot: 'You can’t decide this one: your role may not.',
    mayNotAs: (why: string) => `You can’t decide this one: ${why}`,
    noteFor: (who: string) => `Note for ${who}`,
    /** Of a note that a rejection waits for. */
    whyRejected: (who: string) => `Reject with a note for ${who}`,
    howToReject: 'Enter rejects; Esc goes back.',
    /** Before a note for a request that somebody else decided, or that ended otherwise. */
    notSent: 'Your note was not sent:',
    copyNote: 'Copy the note',
    noteCopied: 'The note is copied.',
    forgetNote: 'Forget it',
    rejectBare: 'Reject without a note? Enter once more rejects.',
    optional: 'Optional',
    /** Begins the sentence that says that it is too long. */
    theNote: 'The note',
    approve: 'Approve',
    reject: 'Reject',
    confirm: 'Confirm the approval',
    final: (request: string) => `This can’t be undone: ${request}`,
    dangerous: (request: string) => `High danger: ${request}`,
    /** The person does not see how dangerous the action or the flag is declared to be. */
    uncertain: (request: string) => `You can’t see how dangerous this is: ${request}`,
    approveAllTheSame: 'Approve it all the same',
    notYet: 'Not yet',
  },
  /** The texts of approvals: the queue, one request with what it would change, and the decision. */
  queue: {
    none: 'Nothing that you see waits for a decision',
    noneAbout: 'What agents and colleagues ask for appears here at once.',
    /** The lists of the page. */
    which: 'Which requests',
    pending: 'Waiting',
    ended: {
      approved: 'Approved',
      rejected: 'Rejected',
      expired: 'Expired',
      cancelled: 'Taken back',
      stale: 'Out of date',
      answered: 'Questions answered',
    } satisfies Readonly<Record<EndedStatus, string>>,
    noneEnded: 'No request ended so',
    noneEndedAbout: 'Whatever is decided, expires or is taken back stays listed.',
    howToOpen: 'Press j for the first request.',
    howToDecide: 'Press j for the first request; a approves, r asks for a note and rejects.',
    select: (request: string) => `Select: ${request}`,
    back: '← Queue',
    canNotBeUndone: 'can’t be undone',
    notYours: 'not yours to decide',
    /** `request`: the beginning of it. */
    approved: (request: string) => `Approved: ${request}`,
    cut: (request: string) => `${request}…`,
    /** `parts`: the members of an item that are given back together. */
    undo: (parts: readonly string[]) =>
      parts.length < 2 ? 'Undo' : `Undo ${listed(parts.map((name) => partNames[name] ?? name))}`,
    /** Of an approved change of an item, as the beginning of a sentence. */
    undone: 'Taken back',
    undoneButNote: 'Taken back, but for the note',
    notUndone: 'It can’t be taken back from here any more: what it changed is no longer among the newest of the item.',
    bulkIsUndone: 'The bulk is being undone.',
    /** Opens what was approved, within a notice that names it. */
    show: 'Show',
    rejected: (request: string) => `Rejected: ${request}`,
    notDecided: (request: string, why: string) => `Not decided: ${request}. ${why}`,
  },
  /** Texts of an edit before the approval. */
  edit: {
    open: 'Edit…',
    title: 'Edit, then approve',
    about: 'What you change here is done in place of what was asked for. The request keeps both.',
    notYours: 'Your role does not run this action, so that you can’t edit it.',
    text: 'Text',
    deed: 'Approve as edited',
    /** Above what was asked for. */
    asked: 'Asked for, before somebody edited it',
  },
  /** Texts of approvals that need several people. */
  votes: {
    title: 'Approved so far',
    needs: (n: number) => counted(n, 'more person has to approve it', 'more people have to approve it'),
    counts: 'Your approval counts. Others have to approve it too.',
    roles: (names: readonly string[]) => `For people with the role ${listed(names)}`,
  },
  /** Texts of a question of an agent. */
  question: {
    answers: 'Answers',
    done: (answer: string) => `Answered: ${answer}`,
    fallback: (answer: string) => `without an answer: ${answer}`,
  },
  /** Texts of the comments on a request. */
  comments: {
    title: 'Comments',
    field: 'Ask or say something before it is decided',
    send: 'Comment',
    /** Begins the sentence that says that it is too long. */
    theComment: 'The comment',
  },
  /** Texts of requests that are selected and decided together. */
  several: {
    label: 'Selected requests',
    selected: (n: number) => `${requestsText(n)} selected`,
    deeds: { approve: 'Approve…', reject: 'Reject…' },
    clear: 'Clear',
    title: {
      approve: (n: number) => `Approve ${requestsText(n)}`,
      reject: (n: number) => `Reject ${requestsText(n)}`,
    },
    about: 'Each is decided by itself. What has changed since you read it stays undecided.',
    note: 'Note for those who asked',
    /** Begins the sentence that says that it is too long. */
    theNote: 'The note',
    final: 'Can’t be undone',
    grave: 'High danger',
    done: {
      approve: (n: number) => `Approved: ${requestsText(n)}`,
      reject: (n: number) => `Rejected: ${requestsText(n)}`,
    },
    left: (n: number) => `${requestsText(n)} not decided`,
    leftAbout: 'The others are decided.',
    close: 'Close',
  },
};
