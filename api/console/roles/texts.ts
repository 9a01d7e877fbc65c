/** The texts of roles in the settings: the list, one role with its grants, and what it sees with them. */
import { plural } from '../ui/plural.ts';
import { count } from '../ui/time.ts';

export const roleTexts = {
  title: 'Roles',
  about: 'What people and agents may see and do. All environments share them.',
  make: 'New role',
  headings: ['Name', 'People', 'Agents', 'Changed'],
  builtIn: 'built in',
  copyOf: (role: string) => `Copy of ${role}`,
  /** What a copy is called at first. */
  copyName: (role: string) => `${role} copy`,
  builtInAbout: 'Built in: it can’t be changed, but copied.',
  roleAbout: 'Nothing is allowed but what is ticked. It holds in all environments.',
  copy: 'Make a copy',
  delete: 'Delete',
  name: 'Name',
  noGrants: 'Nothing is ticked: a role without a grant may do nothing. Tick what it may.',
  makeDeed: 'Make the role',
  changeDeed: 'Change the role',
  changeForHolders: (n: number) =>
    plural(n, { one: `Change it for the ${count(n)} who has it`, other: `Change it for the ${count(n)} who have it` }),
  reset: 'Undo what is not saved',
  isOld: 'Somebody else changed this role since you began. Saving replaces what they did.',
  isMade: (role: string) => `There is a role ${role} now.`,
  isChanged: (role: string) => `${role} is changed.`,
  deletion: {
    title: (role: string) => `Delete ${role}?`,
    about: 'A role can only be deleted when nobody has it. This can’t be undone; the audit log keeps what it granted.',
    deed: (role: string) => `Delete ${role}`,
    done: (role: string) => `${role} is deleted.`,
  },
  notFound: 'No such role',
  notFoundAbout: 'It is deleted, or never was.',
  holders: 'Who has it',
  nobody: 'Nobody.',
  /** `mode`: the API's name. */
  agent: (mode: string) => `agent, ${mode}`,
};
