/** Texts of blocks and their values, of timelines, and of the link to the audit log. Used by the files of this folder. */
import type { ReactNode } from 'react';
import { count, inRow } from '../ui/plural.ts';
import type { RunStatus } from '../wire/types.ts';

export const contentTexts = {
  table: 'Table',
  chart: 'Chart',
  chartOf: (title: string, series: readonly string[]) => `${title}: ${inRow(series)}`,
  asTable: 'As a table',
  problem: (n: number, message: string) => `${count(n)}: ${message}`,
  otherProblems: (n: number) => `${count(n)} for other reasons`,
  /** Of records that are picked by words of them. */
  choices: {
    found: 'Found records',
    /** `by`: where the words stand, unless that is the title. */
    foundBy: (id: string, by: string | null) => (by === null ? id : `${by} · ${id}`),
    picked: (title: string) => `This is ${title}.`,
    notSearched: 'The app does not answer: its records can’t be searched now.',
  },
  auditOfThis: 'Audit log of this',
  /** Texts of the entries of a timeline: an entry's line is one sentence of who did it. */
  timeline: {
    /** `who`: the name of the entry's actor. */
    lines: {
      created: (who: string) => `${who} made this item`,
      occurred: (who: string) => `${who} reported it again`,
      occurredTimes: (who: string, times: string) => `${who} reported it again (${times} times now)`,
      state: (who: string, from: string, to: string) => `${who} set the state from ${from} to ${to}`,
      edited: (who: string, member: string, from: string, to: string) =>
        `${who} changed the ${member} from ${from} to ${to}`,
      unassigned: (who: string) => `${who} took the assignment away`,
      took: (who: string) => `${who} took it`,
      assigned: (who: string, to: string) => `${who} assigned it to ${to}`,
      awoken: (who: string) => `${who} woke it`,
      snoozed: (who: string, until: string) => `${who} snoozed it until ${until}`,
      woken: 'it woke by itself',
      tagsAdded: (who: string, added: string) => `${who} added ${added}`,
      tagsRemoved: (who: string, removed: string) => `${who} removed ${removed}`,
      tagsBoth: (who: string, added: string, removed: string) => `${who} added ${added}, removed ${removed}`,
      /** Of an action that a person has to approve, or had to. */
      askedFor: (who: string, action: string) => `${who} asked for ${action}`,
      ran: (who: string, action: string, status: string) => `${who} ran ${action}: ${status}`,
      ranWith: (who: string, action: string, status: string, message: string) =>
        `${who} ran ${action}: ${status}, ${message}`,
      triaged: (who: string) => `${who} triaged it`,
      triagedClosed: (who: string) => `${who} triaged it, closed it`,
      answered: (who: string, answers: string) => `${who} ${answers}`,
      answeredClosed: (who: string, answers: string) => `${who} ${answers}, closed it`,
      approval: (who: string, what: string) => `${who} asked for approval of ${what}`,
      asked: (who: string, question: string) => `${who} asked: ${question}`,
      delegated: (who: string) => `${who} delegated it to an agent`,
      undelegated: (who: string) => `${who} took it from its agent`,
      claimTaken: (who: string, from: string) => `${who} took it over from ${from}`,
      linked: (who: string, record: string) => `${who} linked ${record}`,
      unlinked: (who: string, record: string) => `${who} unlinked ${record}`,
      other: (who: string, type: string) => `${who} ${type}`,
    },
    approvalKinds: { action: 'an action', bulk: 'a bulk', flag: 'a flag', item: 'a change' },
    approvalEnds: {
      pending: 'waits for a decision',
      approved: 'approved',
      rejected: 'rejected',
      answered: 'answered',
      expired: 'expired',
      cancelled: 'taken back',
      stale: 'out of date: it no longer fits what is',
    },
    /** What became of an action that was asked for, by the API's statuses of runs. */
    runEnds: {
      pending: 'waits for approval',
      queued: 'queued',
      running: 'under way',
      succeeded: 'done',
      failed: 'failed',
      unknown: 'ended without an answer',
      rejected: 'rejected',
      expired: 'expired',
      cancelled: 'taken back',
    } satisfies Readonly<Record<RunStatus, string>>,
    /** `end`: such as "rejected"; `who`: empty where nobody decided; `when`: such as "2 h ago", or nothing. */
    ended: (end: string, who: string, when: ReactNode) => (
      <>
        {who === '' ? end : `${end} by ${who}`}
        {when !== false && <> {when}</>}
      </>
    ),
    said: (text: ReactNode) => <>: {text}</>,
    now: 'now',
    because: (reason: ReactNode) => <> because: {reason}</>,
    approvedBy: (who: string, when: ReactNode) => (
      <>
        approved by {who}
        {when !== false && <> {when}</>}
      </>
    ),
    run: 'run',
    request: 'request',
    note: 'note, seen by colleagues only',
    reply: (state: string) => `reply, ${state}`,
    replyStates: {
      sending: 'sending…',
      sent: 'sent',
      failed: 'not sent',
      unknown: 'may have been sent: the end is not known',
    },
    wroteAgain: 'wrote again',
  },
};
