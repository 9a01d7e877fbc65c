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
    stale: 'Can’t be approved any more',
  } satisfies Readonly<Partial<Record<Approval['status'], string>>>,
  /** The same within a sentence. */
  endsInSentence: {
    approved: 'approved',
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
};
