/** Agents in the settings: the list, or the one that is open. */
import type { SectionProps } from '../settings/sections.ts';
import { AgentPage } from './AgentPage.tsx';
import { AgentsPage } from './AgentsPage.tsx';

export const AgentsSection = ({ id }: SectionProps) =>
  id === undefined ? <AgentsPage /> : <AgentPage key={id} id={id} />;
