/** The texts of the grants of a role. */
import type { Implied, Kind, NamedKind } from './grants.ts';

export const grantTexts = {
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
};
