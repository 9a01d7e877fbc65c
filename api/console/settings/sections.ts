/** The sections of the settings, with the right that each needs. Used by SettingsPage. */
import { may } from '../shell/rights.ts';
import type { Me } from '../wire/types.ts';
import { resourceTexts } from './resourceTexts.ts';
import { settingsTexts } from './texts.ts';

const manage = 'settings: manage';
const audit = 'audit: see';

interface Section {
  readonly name: string;
  readonly label: string;
  /** The right that it needs; null: everybody has it. */
  readonly needs: string | null;
}

type Ordinary = keyof typeof resourceTexts;

/** Returns whether a section is that of an ordinary resource. */
export const isOrdinary = (name: SectionName): name is Ordinary => Object.hasOwn(resourceTexts, name);

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table
const ordinary = (Object.keys(resourceTexts) as Ordinary[]).map((name) => ({
  name,
  label: resourceTexts[name].title,
  needs: manage,
}));

/** In the order in which they stand. */
export const sections = [
  { name: 'agents', label: settingsTexts.sections.agents, needs: manage },
  { name: 'activity', label: settingsTexts.sections.activity, needs: audit },
  { name: 'people', label: settingsTexts.sections.people, needs: manage },
  { name: 'roles', label: settingsTexts.sections.roles, needs: manage },
  ...ordinary,
  { name: 'environments', label: settingsTexts.sections.environments, needs: manage },
  { name: 'loosenings', label: settingsTexts.sections.loosenings, needs: manage },
  { name: 'erasures', label: settingsTexts.sections.erasures, needs: manage },
  { name: 'jobs', label: settingsTexts.sections.jobs, needs: manage },
  { name: 'audit', label: settingsTexts.sections.audit, needs: audit },
  { name: 'account', label: settingsTexts.sections.account, needs: null },
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
