/** The agents of the project: who they are, what they may, and switching or revoking them. Used by AgentsSection. */
import { useQuery } from '@tanstack/react-query';
import { reachText } from '../settings/ReachField.tsx';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { ListTable } from '../ui/ListTable.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { Ago } from '../ui/Time.tsx';
import { agentsQuery } from '../wire/settingsQueries.ts';
import { modes } from './modes.ts';
import { useAgentChanges } from './useAgentChanges.tsx';

export const AgentsPage = () => {
  const { http } = useSession();
  const { make, setMode, revoke, dialog } = useAgentChanges();
  const { data: agents, error, refetch } = useQuery(agentsQuery(http));
  if (error !== null && agents === undefined) return <Problem isPage error={error} onRetry={() => void refetch()} />;
  return (
    <div className="column">
      <header className="column-head">
        <div>
          <h1>Agents</h1>
          <p className="soft">
            Programs that work here with a token of their own. What they do stands under their name.
          </p>
        </div>
        <Button tone="main" onClick={make}>
          New agent
        </Button>
      </header>
      {agents === undefined && <Skeleton rows={4} />}
      {agents?.length === 0 && (
        <Empty title="No agents yet">Make one, and give its token to the program that works here.</Empty>
      )}
      {agents !== undefined && agents.length > 0 && (
        <ListTable label="Agents" headings={['Name', 'Role', 'Mode', 'Used']} deeds="Revoke">
          {agents.map((agent) => (
            <tr key={agent.id}>
              <td dir="auto">
                <SettingsLink section="agents" id={agent.id}>
                  {agent.name}
                </SettingsLink>
                <span className="soft"> {reachText(agent.environments)}</span>
              </td>
              <td>{agent.role.name}</td>
              <td>
                <select
                  aria-label={`Mode of ${agent.name}`}
                  value={agent.mode}
                  onChange={({ target }) => setMode(agent, target.value)}
                >
                  {modes.map(({ mode, label }) => (
                    <option key={mode} value={mode}>
                      {label}
                    </option>
                  ))}
                </select>
              </td>
              <td className="soft">{agent.lastUsedAt === null ? 'never' : <Ago at={agent.lastUsedAt} />}</td>
              <td>
                <Button tone="bare" onClick={() => revoke(agent)} aria-label={`Revoke ${agent.name}`}>
                  Revoke
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
