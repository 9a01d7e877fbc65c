/** The people and agents of Northwind Cloud, with their roles, and who does which work; used by the loader and the stories. */
const everyday = ['see', 'create', 'state', 'assign', 'tags', 'snooze', 'note', 'reply', 'edit', 'claim'];
const grant = (on: string, ...can: string[]): { on: string; can: string[] } => ({ on, can });

/** The roles besides the built-in viewer, operator and admin. */
export const roles = [
  {
    name: 'support',
    grants: [
      ...['inbox:support', 'inbox:refunds'].map((on) => grant(on, ...everyday)),
      ...['resource:customer', 'resource:order', 'resource:payment', 'page:customer'].map((on) => grant(on, 'see')),
      ...['resend_receipt', 'extend_trial', 'issue_credit'].map((action) => grant(`action:${action}`, 'run')),
    ],
  },
  {
    name: 'engineering',
    grants: [
      grant('inbox:errors', '*'),
      ...['resource:customer', 'page:reliability'].map((on) => grant(on, 'see')),
      grant('action:reindex_search', 'run'),
      grant('flag:*', 'see', 'change'),
    ],
  },
];

const person = (name: string, user: string, role: string) => ({ name, email: `${user}@northwind.example`, role });

export const people = [
  person('Ana Ferreira', 'ana', 'admin'),
  person('Jonas Weber', 'jonas', 'admin'),
  person('Priya Raman', 'priya', 'operator'),
  person('Tom Okafor', 'tom', 'operator'),
  person('Mei-Ling Chen', 'meiling', 'operator'),
  person('Lucas Moreau', 'lucas', 'operator'),
  person('Sofia Rossi', 'sofia', 'support'),
  person('Daniel Novák', 'daniel', 'support'),
  person('Aisha Bello', 'aisha', 'support'),
  person('Kenji Tanaka', 'kenji', 'engineering'),
  person('Elena Petrova', 'elena', 'engineering'),
  person('Ruth Goldberg', 'ruth', 'viewer'),
];

/** Agents of these roles have the tokens that `npm start` prints. */
export type AgentRole = 'admin' | 'operator' | 'viewer';
export const agentName = (role: string): string => `Demo ${role}`;

/** Returns the places in `people` of those with one of the roles, in the order of the roles. */
export const placesOf = (...wanted: readonly string[]): readonly number[] =>
  wanted.flatMap((role) => people.flatMap((known, place) => (known.role === role ? [place] : [])));
