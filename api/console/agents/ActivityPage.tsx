/** The ledger of all agents: their entries of the audit log. Used by SettingsPage. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useSession } from '../shell/session.ts';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { count } from '../ui/time.ts';
import { meQuery } from '../wire/queries.ts';
import { agentsQuery } from '../wire/settingsQueries.ts';
import { Ledger } from './Ledger.tsx';

/** Of so many agents at most, those that were used last. */
const agentsMost = 50;

export const ActivityPage = () => {
  const { http } = useSession();
  const { data: me } = useQuery(meQuery(http));
  const { data: agents, error, refetch } = useQuery(agentsQuery(http));
  const [since] = useState(me?.now ?? 0);
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  if (agents !== undefined && chosen === null)
    setChosen(
      agents
        .toSorted((a, b) => (b.lastUsedAt ?? 0) - (a.lastUsedAt ?? 0))
        .slice(0, agentsMost)
        .map(({ id }) => id),
    );
  return (
    <div className="column wide home">
      <header className="column-head">
        <div>
          <h1>What agents do</h1>
          <p className="soft">
            Everything that they change, ask for and are refused here.{' '}
            {agents !== undefined && agents.length > agentsMost
              ? `Of ${count(agents.length)} agents, the ${count(agentsMost)} that were used last. `
              : ''}
            What revoked agents did stands in the <SettingsLink section="audit">audit log</SettingsLink>.
          </p>
        </div>
      </header>
      {error !== null && agents === undefined && (
        <Problem error={error} needs="settings: manage" onRetry={() => void refetch()} />
      )}
      {error === null && agents === undefined && <Skeleton rows={6} />}
      {chosen?.length === 0 && (
        <Empty title="No agents yet">
          Make one under <SettingsLink section="agents">Agents</SettingsLink>; what it does appears here.
        </Empty>
      )}
      {chosen !== null && chosen.length > 0 && <Ledger agents={chosen} isOfMany since={since} />}
    </div>
  );
};
