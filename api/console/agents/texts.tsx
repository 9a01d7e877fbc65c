/** The texts of agents: their list, their page, their forms and their credentials. */
import type { ReactNode } from 'react';

export const agentTexts = {
  title: 'Agents',
  about: 'Programs that work here with a token of their own. What they do stands under their name.',
  make: 'New agent',
  none: 'No agents yet',
  noneAbout: 'Make one, and give its token to the program that works here.',
  headings: ['Name', 'Role', 'Mode', 'Used'],
  revoke: 'Revoke',
  revokeOf: (agent: string) => `Revoke ${agent}`,
  modeOf: (agent: string) => `Mode of ${agent}`,
  neverUsed: 'never',
  oneAgent: 'An agent',
  notFound: 'This agent is revoked, or not of your environments',
  roleIn: (role: string, environments: string) => `${role} in ${environments}`,
  wasNeverUsed: 'never used',
  used: (when: ReactNode) => <>used {when}</>,
  worksUntil: (when: string) => `works until ${when}`,
  modeNow: (mode: string, about: string) => `${mode}: ${about}.`,
  requests: 'What it asked for',
  waits: (when: ReactNode) => <>waits, asked {when}</>,
  edit: 'Change…',
  rotate: 'New token…',
  form: {
    newAbout: 'A program that works here with a token of its own, which is shown once.',
    newDeed: 'Make agent',
    /** The title of the form, and its button. */
    change: (agent: string) => `Change ${agent}`,
    changeAbout: 'It acts under the new rights at once. More rights need a fresh sign-in.',
    nameExample: 'Triage bot',
    mode: 'Mode',
    worksUntil: 'Works until',
  },
  rotation: {
    title: (agent: string) => `New token for ${agent}`,
    about: 'Role, mode and what it asked for stay. The new token is shown once.',
    deed: 'Make a new token',
    oldToken: 'The old token',
  },
  revocation: {
    title: (agent: string) => `Revoke ${agent}?`,
    about:
      'Its tokens end at once, everywhere, and what it has asked for can’t be approved any more. This can’t be undone; a new agent can be made.',
    done: (agent: string) => `${agent} is revoked.`,
  },
  credential: {
    title: (agent: string) => `${agent} is ready`,
    newTitle: (agent: string) => `The new token of ${agent}`,
    about: (agent: string) => `The token is shown this once. Keep it where ${agent} runs, and nowhere else.`,
    shownBefore: '(shown before)',
    token: 'Token',
    address: 'API address',
    tryIt: 'Try it',
    protocol: 'Model Context Protocol',
  },
};
