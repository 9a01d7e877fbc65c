/** The texts of the ledger of agents, and of what one of them reads. */

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
  /** By the codes of the API's refusals. */
  refusals: {
    forbidden: (verb: string, what: string) => `Its role does not allow ${verb} on ${what}.`,
    not_found: (_: string, what: string) => `It does not see ${what}, or there is no such thing.`,
    person_required: (verb: string) => `Only a person may do ${verb}.`,
    read_only: (verb: string) => `It is read-only: it may not do ${verb}.`,
  },
  /** A value that is empty. */
  noValue: 'none',
};
