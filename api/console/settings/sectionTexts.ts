/** The names of the sections of the settings. Used by their page and by the palette. */
export const sectionTexts = {
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
};
