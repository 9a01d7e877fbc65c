/** The texts of roles in the settings: the list, one role with its grants, and what it sees with them. */
import { count, inRow, plural } from '../ui/plural.ts';
import type { Implied, Kind, NamedKind } from './grants.ts';

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
  /** The texts of the grants of a role. */
  grants: {
    kind: {
      inbox: 'Inboxes',
      resource: 'Records',
      action: 'Actions',
      page: 'Pages',
      flag: 'Flags',
      approvals: 'Approvals',
      audit: 'Audit',
      settings: 'Settings',
    } satisfies Readonly<Record<Kind, string>>,
    all: {
      inbox: 'All inboxes',
      resource: 'All records',
      action: 'All actions',
      page: 'All pages',
      flag: 'All flags',
    } satisfies Readonly<Record<NamedKind, string>>,
    everything: 'everything',
    /** The name of a box: what it grants, and on what. */
    grant: (verb: string, on: string) => `${verb}: ${on}`,
    grantsOf: (kind: string) => `Grants: ${kind}`,
    byName: 'By name…',
    picker: (kind: string) => `Grant by name: ${kind}`,
    pickerHint: 'A name…',
    pickerNone: 'Nothing of this name is declared here.',
    notDeclared: 'not declared here',
    undeclared: (name: string) => `${name} (not declared here)`,
    /** Why something holds that is not granted itself. */
    implied: {
      byEverything: 'everything here is granted',
      byAll: 'granted for all',
      bySomeOfAll: 'something is granted for all',
      byDeeds: 'whoever may do something here sees it',
    } satisfies Readonly<Record<Implied, string>>,
  },
  /** The texts that tell what a role sees. */
  preview: {
    title: 'Preview',
    heading: (environment: string) => `What it sees in ${environment}`,
    about: 'Of what you see yourself. Agents neither decide nor manage settings, whatever their role grants.',
    also: 'Also',
    nothing: 'nothing',
    withEverything: (name: string) => `${name} (everything)`,
    withVerbs: (name: string, verbs: readonly string[]) => `${name} (${inRow(verbs)})`,
    not: (names: readonly string[]) => `not ${inRow(names)}`,
    blind: (action: string, resource: string) => `${action} acts on ${resource}, which it does not see`,
    approvals: 'sees approvals',
    decides: 'decides them',
    audit: 'sees the audit log',
    settings: 'manages settings, and so can give itself every right',
  },
};
