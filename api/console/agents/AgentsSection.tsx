/** Agents in the settings: the list with their modes, or the one that is open. */
import { reachText } from '../settings/ResourceForm.tsx';
import type { SectionProps } from '../settings/sections.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Options } from '../ui/fields.tsx';
import { Ago } from '../ui/marks.tsx';
import { ColumnHead, ListTable } from '../ui/PageParts.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { agentsQuery } from '../wire/settingsQueries.ts';
import { AgentPage } from './AgentPage.tsx';
import { agentTexts } from './texts.tsx';
import { modes, useAgentChanges } from './useAgentChanges.tsx';

/** The agents of the project: who they are, what they may, and switching or revoking them. */
const AgentsPage = () => {
  const { make, setMode, revoke, dialog } = useAgentChanges();
  const { data: agents, error, refetch } = useRead(agentsQuery);
  if (error !== null && agents === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column">
      <ColumnHead title={agentTexts.title} about={agentTexts.about}>
        <Button tone="main" onClick={make}>
          {agentTexts.form.make}
        </Button>
      </ColumnHead>
      {agents === undefined && <Skeleton rows={4} />}
      {agents?.length === 0 && <Empty title={agentTexts.none}>{agentTexts.noneAbout}</Empty>}
      {agents !== undefined && agents.length > 0 && (
        <ListTable label={agentTexts.title} headings={agentTexts.headings} deeds={agentTexts.revoke}>
          {agents.map((agent) => (
            <tr key={agent.id}>
              <td dir="auto">
                <SettingsLink section="agents" of={agent} />
                <span className="soft"> {reachText(agent.environments)}</span>
              </td>
              <td>{agent.role.name}</td>
              <td>
                <select
                  aria-label={agentTexts.modeOf(agent.name)}
                  value={agent.mode}
                  onChange={({ target }) => setMode(agent, target.value)}
                >
                  <Options of={modes.map((mode) => [mode, agentTexts.modes[mode].label])} />
                </select>
              </td>
              <td className="soft">
                {agent.lastUsedAt === null ? agentTexts.neverUsed : <Ago at={agent.lastUsedAt} />}
              </td>
              <td>
                <Button tone="bare" onClick={() => revoke(agent)} aria-label={agentTexts.ending.deed(agent.name)}>
                  {agentTexts.revoke}
                </Button>
              </td>
            </tr>
          ))}
        </ListTable>
      )}
      {dialog}
    </div>
  );
};

export const AgentsSection = ({ id }: SectionProps) =>
  id === undefined ? <AgentsPage /> : <AgentPage key={id} id={id} />;
