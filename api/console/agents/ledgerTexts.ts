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
  more: 'More',
  /** A target, which the line shows beside the sentence. */
  thing: (kind: string) => `this ${kind}`.trimEnd(),
  /** By the codes of the API's refusals. */
  refusals: {
    forbidden: (verb: string, what: string) => `Its role does not allow ${verb} on ${what}.`,
    not_found: (_: string, what: string) => `It does not see ${what}, or there is no such thing.`,
    person_required: (verb: string) => `Only a person may do ${verb}.`,
    fresh_sign_in_required: (verb: string) => `${verb} needs a person who has just signed in.`,
    confirmation_required: (verb: string) => `${verb} is dangerous, and it did not confirm it.`,
    already_decided: () => 'The request had been decided already.',
    stale: (_: string, what: string) => `What ${what} was asked for had changed.`,
    conflict: (verb: string, what: string) => `The state of ${what} did not allow ${verb}.`,
    version_conflict: (_: string, what: string) => `It had read an older version of ${what}.`,
    invalid_transition: (_: string, what: string) => `The state that it chose can’t be reached from that of ${what}.`,
    action_failed: (_: string, what: string) => `The app refused the action on ${what}.`,
    too_many: (verb: string) => `The query of ${verb} matched more items than a bulk may have.`,
    too_broad: (verb: string) => `Finding what ${verb} was for took too long.`,
    idempotency_mismatch: () => 'Its idempotency key had been used with another request.',
    app_error: () => 'The app gave an answer that is not valid.',
    app_offline: () => 'The app was offline.',
    app_timeout: () => 'The app did not answer in time.',
  } satisfies Partial<Record<ErrorCode, (did: string, what: string) => string>>,
  /** A value that is empty. */
  noValue: 'none',
};
