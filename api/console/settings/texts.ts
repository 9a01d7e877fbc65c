/** The texts that the sections of the settings share: parts of their forms, their dialogs, and what a role may not see. */
import { inRow } from '../ui/plural.ts';

export const settingsTexts = {
  copy: 'Copy',
  copied: 'Copied',
  /** The names of the two buttons for those who don't see what they stand beside. */
  copyOf: (what: string) => `Copy ${what}`,
  copiedOf: (what: string) => `Copied ${what}`,
  kept: 'I have kept it',
  forbidden: 'Your role may not see this',
  /** `right`: the API's name of it. */
  needs: (right: string) => `It needs ${right}.`,
  adminsHaveIt: 'Everybody with the role admin has it, and can grant it.',
  adminsNamed: (names: readonly string[]) => `Everybody with the role admin has it, and can grant it: ${inRow(names)}.`,
  name: 'Name',
  role: 'Role',
  chooseRole: 'Choose one',
  environments: 'Environments',
  allEnvironments: 'all environments',
  all: 'All',
  allAbout: 'also those that are made later',
  grace: {
    none: 'ends at once',
    hour: 'works for 1 hour more',
    day: 'works for 1 day more',
    week: 'works for 7 days more',
  },
  /** The names of the sections of the settings. */
  sections: {
    agents: 'Agents',
    activity: 'What agents do',
    people: 'People',
    roles: 'Roles',
    environments: 'Environments',
    loosenings: 'Loosenings',
    erasures: 'Erasures',
    jobs: 'Jobs',
    audit: 'Audit',
    account: 'Your account',
  },
};
