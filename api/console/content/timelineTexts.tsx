/** Texts of the entries of a timeline: an entry's line is one sentence of who did it. Used by TimelineEntry. */
import type { ReactNode } from 'react';

export const timelineTexts = {
  /** `who`: the name of the entry's actor. */
  lines: {
    created: (who: string) => `${who} made this item`,
    occurred: (who: string) => `${who} reported it again`,
    occurredTimes: (who: string, times: string) => `${who} reported it again (${times} times now)`,
    state: (who: string, from: string, to: string) => `${who} set the state from ${from} to ${to}`,
    unassigned: (who: string) => `${who} took the assignment away`,
    took: (who: string) => `${who} took it`,
    assigned: (who: string, to: string) => `${who} assigned it to ${to}`,
    awoken: (who: string) => `${who} woke it`,
    snoozed: (who: string, until: string) => `${who} snoozed it until ${until}`,
    woken: 'it woke by itself',
    tagsAdded: (who: string, added: string) => `${who} added ${added}`,
    tagsRemoved: (who: string, removed: string) => `${who} removed ${removed}`,
    tagsBoth: (who: string, added: string, removed: string) => `${who} added ${added}, removed ${removed}`,
    ran: (who: string, action: string, status: string) => `${who} ran ${action}: ${status}`,
    ranWith: (who: string, action: string, status: string, message: string) =>
      `${who} ran ${action}: ${status}, ${message}`,
    triaged: (who: string) => `${who} triaged it`,
    triagedClosed: (who: string) => `${who} triaged it, closed it`,
    answered: (who: string, answers: string) => `${who} ${answers}`,
    answeredClosed: (who: string, answers: string) => `${who} ${answers}, closed it`,
    approval: (who: string, what: string, end: string) => `${who} asked for approval of ${what}; ${end}`,
    linked: (who: string, record: string) => `${who} linked ${record}`,
    unlinked: (who: string, record: string) => `${who} unlinked ${record}`,
    other: (who: string, type: string) => `${who} ${type}`,
  },
  approvalKinds: {
    action: 'an action',
    bulk: 'a bulk',
    flag: 'a flag',
    item: 'a change',
  },
  approvalEnds: {
    pending: 'it waits',
    approved: 'it was approved',
    rejected: 'it was rejected',
    expired: 'it expired',
    cancelled: 'it was taken back',
    stale: 'it no longer fits what is',
  },
  now: 'now',
  because: (reason: ReactNode) => <> because: {reason}</>,
  approvedBy: (who: string) => `approved by ${who}`,
  run: 'run',
  note: 'note, seen by colleagues only',
  reply: (state: string) => `reply, ${state}`,
  replyStates: {
    sending: 'sending…',
    sent: 'sent',
    failed: 'not sent',
    unknown: 'may have been sent: the end is not known',
  },
  wroteAgain: 'wrote again',
};
