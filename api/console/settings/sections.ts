/** The sections of the settings, with the right that each needs. Used by SettingsPage. */
import { may } from '../shell/rights.ts';
import type { Me } from '../wire/types.ts';

const manage = 'settings: manage';
const audit = 'audit: see';

interface Section {
  readonly name: string;
  readonly label: string;
  /** The right that it needs; null: everybody has it. */
  readonly needs: string | null;
}

/** In the order in which they stand. */
export const sections = [
  { name: 'agents', label: 'Agents', needs: manage },
  { name: 'activity', label: 'What agents do', needs: audit },
  { name: 'people', label: 'People', needs: manage },
  { name: 'roles', label: 'Roles', needs: manage },
  { name: 'app-keys', label: 'App keys', needs: manage },
  { name: 'environments', label: 'Environments', needs: manage },
  { name: 'loosenings', label: 'Loosenings', needs: manage },
  { name: 'erasures', label: 'Erasures', needs: manage },
  { name: 'jobs', label: 'Jobs', needs: manage },
  { name: 'audit', label: 'Audit', needs: audit },
  { name: 'account', label: 'Your account', needs: null },
] as const satisfies readonly Section[];

export type SectionName = (typeof sections)[number]['name'];

/** Properties of every section. */
export interface SectionProps {
  /** The id of the open agent, role or person; undefined: the list is shown. */
  readonly id: string | undefined;
}

/** Returns whether the role has a right such as `audit: see`; null: none is needed. */
export const allows = (me: Me, right: string | null): boolean => {
  const [on = '', verb = ''] = right?.split(': ') ?? [];
  return right === null || may(me, on, verb);
};
