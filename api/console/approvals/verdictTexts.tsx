/** The texts of a decision, and of the end of a request. */
import type { ReactNode } from 'react';
import type { Approval } from '../wire/types.ts';

export const verdictTexts = {
  /** By the API's names of what is no longer pending. */
  ends: {
    approved: 'Approved',
    rejected: 'Rejected',
    expired: 'Expired: nobody decided in time',
    cancelled: 'Taken back by whoever asked',
    stale: 'No longer fits what is, so that it can’t be approved',
  } satisfies Readonly<Partial<Record<Approval['status'], string>>>,
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
  mayNot: 'You can’t decide this one: your role may not.',
  mayNotAs: (why: string) => `You can’t decide this one: ${why}`,
  noteFor: (who: string) => `Note for ${who}`,
  optional: 'Optional',
  /** Begins the sentence that says that it is too long. */
  theNote: 'The note',
  approve: 'Approve',
  reject: 'Reject',
  confirm: 'Confirm the approval',
  final: (request: string) => `This can’t be undone: ${request}`,
  dangerous: (request: string) => `High danger: ${request}`,
  approveAllTheSame: 'Approve it all the same',
  notYet: 'Not yet',
};
