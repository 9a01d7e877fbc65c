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
  /** A value that is empty. */
  noValue: 'none',
};
