/** The texts of the page of what all agents do. */
import type { ReactNode } from 'react';
import { count } from '../ui/time.ts';

export const activityTexts = {
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
};
