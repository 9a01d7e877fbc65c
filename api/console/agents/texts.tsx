/** The texts of agents: their list, their page, their forms and their credentials. */
import type { ReactNode } from 'react';
import type { ResourceDeeds } from '../settings/resourceRow.ts';

export const agentTexts = {
  title: 'Agents',
  about: 'Programs that work here with a token of their own. What they do stands under their name.',
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
  api: { path: '/settings/agents', one: 'agent' },
  form: {
    fields: [
      { name: 'name', as: 'name', example: 'Triage bot' },
      { name: 'role', as: 'role' },
      { name: 'mode', as: 'choice', label: 'Mode', initial: 'supervised', isOfNew: true },
      { name: 'environments', as: 'reach' },
      { name: 'expiresAt', as: 'time', label: 'Works until' },
    ],
    make: 'New agent',
    newAbout: 'A program that works here with a token of its own, which is shown once.',
    newDeed: 'Make agent',
    change: {
      title: (agent: string) => `Change ${agent}`,
      about: 'It acts under the new rights at once. Other rights need a fresh sign-in.',
      deed: (agent: string) => `Change ${agent}`,
    },
  },
  rotation: {
    title: (agent: string) => `New token for ${agent}`,
    about: 'Role, mode and what it asked for stay. The new token is shown once.',
    deed: 'Make a new token',
    old: 'The old token',
  },
  ending: {
    title: (agent: string) => `Revoke ${agent}?`,
    about:
      'Its tokens end at once, everywhere, and what it has asked for can’t be approved any more. This can’t be undone; a new agent can be made.',
    deed: (agent: string) => `Revoke ${agent}`,
    done: (agent: string) => `${agent} is revoked.`,
  },
  credential: {
    title: (agent: string) => `${agent} is ready`,
    newTitle: (agent: string) => `The new token of ${agent}`,
    about: (agent: string) => `The token is shown this once. Keep it where ${agent} runs, and nowhere else.`,
    shownBefore: '(shown before)',
    parts: (token: string, baseUrl: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      const mcp = { mcpServers: { console: { type: 'http', url: `${baseUrl}/mcp`, headers } } };
      return [
        ['Token', token],
        ['API address', baseUrl],
        ['Try it', `curl -s -H 'authorization: Bearer ${token}' '${baseUrl}/me'`],
        ['Model Context Protocol', JSON.stringify(mcp, null, 2)],
      ];
    },
  },
} satisfies ResourceDeeds & Readonly<Record<string, unknown>>;
