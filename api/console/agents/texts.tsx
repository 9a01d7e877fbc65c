/** The texts of agents: their list, their page, their forms and their credentials. */
import type { ReactNode } from 'react';
import type { ErrorCode } from '../../../shared/catalogue/errors.ts';
import type { ResourceDeeds } from '../settings/resourceRow.ts';
import { count } from '../ui/plural.ts';
import type { Agent } from '../wire/types.ts';

interface ModeTexts {
  readonly label: string;
  readonly about: string;
  readonly isNow: (agent: string) => string;
  /** Of the confirmation before an agent gets more freedom by this mode. */
  readonly loosen: (agent: string) => string;
  readonly loosenAbout: string;
  readonly loosenDeed: string;
}

/** The texts of the modes of agents. */
const modes: Readonly<Record<Agent['mode'], ModeTexts>> = {
  supervised: {
    label: 'Supervised',
    about: 'each change waits for a person’s approval',
    isNow: (agent) => `${agent} is supervised now.`,
    loosen: (agent) => `Let ${agent} ask for changes?`,
    loosenAbout: 'It can ask for what its role allows; a person decides about each change.',
    loosenDeed: 'Make it supervised',
  },
  normal: {
    label: 'Normal',
    about: 'does what its role allows',
    isNow: (agent) => `${agent} is normal now.`,
    loosen: (agent) => `Let ${agent} act without approval?`,
    loosenAbout: 'It changes at once what its role allows; nobody is asked before.',
    loosenDeed: 'Make it normal',
  },
  readonly: {
    label: 'Read-only',
    about: 'changes nothing',
    isNow: (agent) => `${agent} is read-only now.`,
    loosen: (agent) => `Let ${agent} read only?`,
    loosenAbout: 'It changes nothing.',
    loosenDeed: 'Make it read-only',
  },
};

export const agentTexts = {
  title: 'Agents',
  about: 'Programs that work here with a token of their own. What they do stands under their name.',
  none: 'No agents yet',
  noneAbout: 'Make one, and give its token to the program that works here.',
  headings: ['Name', 'Role', 'Mode', 'Used'],
  revoke: 'Revoke',
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
  /** The texts of the ledger of agents, and of what one of them reads. */
  ledger: {
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
  },
  /** The texts of the page of what all agents do. */
  activity: {
    title: 'What agents do',
    about: 'Everything that they change, ask for and are refused here.',
    usedLast: (agents: number, shown: number) => `Of ${count(agents)} agents, the ${count(shown)} that were used last.`,
    /** `toAudit` makes a link of its words. */
    revoked: (toAudit: (words: string) => ReactNode) => (
      <>What revoked agents did stands in the {toAudit('audit log')}.</>
    ),
    none: 'No agents yet',
    /** `toAgents` makes a link of its words. */
    noneAbout: (toAgents: (words: string) => ReactNode) => (
      <>Make one under {toAgents('Agents')}; what it does appears here.</>
    ),
  },
  /** The texts of what one agent reads. */
  reads: {
    title: 'What it reads',
    show: 'Show reads',
    showAbout: 'Shows what it reads while this is on; nothing of it is kept',
    status: { connecting: 'Connecting …', complete: 'Watching', broken: 'Not connected; trying again …' },
    later: (n: number) => `${count(n)} more when the pointer leaves`,
    none: 'Nothing read yet',
    noneAbout: 'What it reads from now on is shown here, and not kept.',
    reads: 'Reads',
    headings: ['When', 'Read', 'Target', 'Outcome'],
    byTool: 'by a tool',
    noQuery: 'parameters not shown',
  },
  modes,
} satisfies ResourceDeeds & Readonly<Record<string, unknown>>;
