/** The texts of one request: who asks, why, and what it would change. */
import type { ReactNode } from 'react';
import { listed, plural } from '../ui/plural.ts';
import { count } from '../ui/time.ts';
import type { BulkDryRun } from '../wire/types.ts';

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
    since: (n: number) =>
      plural(n, {
        one: `${count(n)} entry since this was asked for`,
        other: `${count(n)} entries since this was asked for`,
      }),
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
  sum: (resource: string, label: string, amount: string) =>
    `${resource} ${label.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase())} ${amount}`,
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
    more: (n: number) => `and ${count(n)} more`,
    problems: 'Why the others would not change',
  },
  difference: {
    title: 'What it changes',
    before: 'When asked',
    now: 'Now',
    after: 'After',
    unknown: 'not known',
  },
};
