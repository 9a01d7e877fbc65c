// The people and agents of Northwind Cloud, with their roles; used by the plots to choose actors.

import type { DemoAgent, DemoPerson, DemoRole, InboxName } from './types.ts';

const EVERYDAY = ['see', 'create', 'state', 'assign', 'tags', 'snooze', 'note', 'reply'];

export const roles: readonly DemoRole[] = [
  {
    name: 'support',
    grants: [
      { on: 'inbox:support', can: EVERYDAY },
      { on: 'inbox:refunds', can: EVERYDAY },
      { on: 'resource:customer', can: ['see'] },
      { on: 'resource:order', can: ['see'] },
      { on: 'resource:payment', can: ['see'] },
      { on: 'action:resend_receipt', can: ['run'] },
      { on: 'action:extend_trial', can: ['run'] },
      { on: 'action:issue_credit', can: ['run'] },
      { on: 'page:customer', can: ['see'] },
    ],
  },
  {
    name: 'engineering',
    grants: [
      { on: 'inbox:errors', can: ['*'] },
      { on: 'resource:customer', can: ['see'] },
      { on: 'action:reindex_search', can: ['run'] },
      { on: 'page:reliability', can: ['see'] },
      { on: 'flag:*', can: ['see', 'change'] },
    ],
  },
];

export const people: readonly DemoPerson[] = [
  { name: 'Ana Ferreira', email: 'ana@northwind.example', role: 'admin' },
  { name: 'Jonas Weber', email: 'jonas@northwind.example', role: 'admin' },
  { name: 'Priya Raman', email: 'priya@northwind.example', role: 'operator' },
  { name: 'Tom Okafor', email: 'tom@northwind.example', role: 'operator' },
  { name: 'Mei-Ling Chen', email: 'meiling@northwind.example', role: 'operator' },
  { name: 'Lucas Moreau', email: 'lucas@northwind.example', role: 'operator' },
  { name: 'Sofia Rossi', email: 'sofia@northwind.example', role: 'support' },
  { name: 'Daniel Novák', email: 'daniel@northwind.example', role: 'support' },
  { name: 'Aisha Bello', email: 'aisha@northwind.example', role: 'support' },
  { name: 'Kenji Tanaka', email: 'kenji@northwind.example', role: 'engineering' },
  { name: 'Elena Petrova', email: 'elena@northwind.example', role: 'engineering' },
  { name: 'Ruth Goldberg', email: 'ruth@northwind.example', role: 'viewer' },
];

/** The agents whose tokens `npm start` prints. */
export const agents: readonly DemoAgent[] = [
  { name: 'Demo admin', role: 'admin' },
  { name: 'Demo operator', role: 'operator' },
  { name: 'Demo viewer', role: 'viewer' },
];

/** Index of the one agent that works on items in the histories. */
export const WORKING_AGENT = agents.findIndex(({ role }) => role === 'operator');

function worksOn(role: string, inbox: InboxName): boolean {
  if (role === 'admin' || role === 'operator') return true;
  const grants = roles.find(({ name }) => name === role)?.grants ?? [];
  return grants.some(({ on }) => on === `inbox:${inbox}`);
}

function indexes(wanted: (person: DemoPerson) => boolean): readonly number[] {
  return people.flatMap((person, index) => (wanted(person) ? [index] : []));
}

/** Returns those who change items of an inbox; specialists come first, so that `pickSkewed` takes them more often. */
function crewOf(inbox: InboxName): readonly number[] {
  const specialists = indexes(({ role }) => roles.some(({ name }) => name === role) && worksOn(role, inbox));
  const operators = indexes(({ role }) => role === 'operator');
  return [...specialists, ...operators];
}

export const crews: Readonly<Record<InboxName, readonly number[]>> = {
  support: crewOf('support'),
  errors: crewOf('errors'),
  refunds: crewOf('refunds'),
  signups: crewOf('signups'),
  abuse: crewOf('abuse'),
};

/** Those who assign work to others. */
export const leads = indexes(({ role }) => role === 'admin');
