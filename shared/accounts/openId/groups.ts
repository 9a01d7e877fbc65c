/** Role and environments by a person's groups at the provider. For identities.ts. */
import type { GroupMapping } from '../../platform/config/openIdConfig.ts';

export interface Standing {
  /** By id or name. */
  readonly role: string;
  readonly environments: readonly string[];
}

/**
 * Returns the role of the first mapping of which the person has the group, in the environments of all mappings that they
 * have to the same role; null when they have none.
 */
export const standingOf = (groups: readonly string[], mappings: readonly GroupMapping[]): Standing | null => {
  const theirs = mappings.filter(({ group }) => group === '*' || groups.includes(group));
  const [first] = theirs;
  if (first === undefined) return null;
  const environments = new Set(theirs.flatMap(({ role, environments: where }) => (role === first.role ? where : [])));
  return { role: first.role, environments: environments.has('*') ? ['*'] : [...environments].sort() };
};
