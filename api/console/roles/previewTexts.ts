/** The texts that tell what a role sees. Used by RolePreview. */
import { inRow } from '../ui/plural.ts';

export const previewTexts = {
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
};
