/** The texts of the ledger of agents, and of what one of them reads. */
import type { ErrorCode } from '../../../shared/catalogue/errors.ts';

export const ledgerTexts = {
  ofOne: 'What it did',
  ofMany: 'What they did',
  follow: 'Follow',
  following: 'Following',
  followAbout: 'Shows what is new at once, except under the pointer',
  none: 'Nothing yet',
  noneOfOne: 'What it changes, asks for and is refused is announced here.',
  noneOfMany: 'What agents change, ask for and are refused is announced here.',
  acts: 'Acts',
  headings: ['When', 'Act', 'Target', 'Outcome', 'Reason'],
  headingsOfMany: ['When', 'Agent', 'Act', 'Target', 'Outcome', 'Reason'],
  /** A target, which the line shows beside the sentence. */
  thing: (kind: string) => `this ${kind}`.trimEnd(),
  /** By the codes of the API's refusals; `did`: what was tried, within a sentence, such as "assign an item". */
  refusals: {
    forbidden: (did: string) => `Its role does not allow it to ${did}.`,
    not_found: (_: string, what: string) => `It does not see ${what}, or there is no such thing.`,
    person_required: (did: string) => `Only a person may ${did}.`,
    fresh_sign_in_required: (did: string) => `Only a person who has just confirmed who they are may ${did}.`,
    confirmation_required: (did: string) => `It did not confirm that it wants to ${did}, which is dangerous.`,
    already_decided: () => 'The request had been decided already.',
    stale: (_: string, what: string) => `Since the request, ${what} had changed.`,
    conflict: (did: string, what: string) => `The state of ${what} did not allow it to ${did}.`,
    version_conflict: (_: string, what: string) => `It had read an older version of ${what}.`,
    invalid_transition: (_: string, what: string) => `The state that it chose can’t be reached from that of ${what}.`,
    action_failed: (_: string, what: string) => `The app refused the action on ${what}.`,
    too_many: () => 'Its query matched more items than can be changed at once.',
    too_broad: () => 'Finding the items took too long.',
    idempotency_mismatch: () => 'Its idempotency key had been used with another request.',
    app_error: () => 'The app gave an answer that is not valid.',
    app_offline: () => 'The app was offline.',
    app_timeout: () => 'The app did not answer in time.',
  } satisfies Partial<Record<ErrorCode, (did: string, what: string) => string>>,
  /** A value that is empty. */
  noValue: 'none',
};
