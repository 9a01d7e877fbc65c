/** The ledger of all agents: their entries of the audit log. Used by SettingsPage. */
import { useState } from 'react';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useRead } from '../shell/session.ts';
import { Empty, Unread } from '../ui/Problem.tsx';
import { meQuery } from '../wire/queries.ts';
import { agentsQuery } from '../wire/settingsQueries.ts';
import { Ledger } from './Ledger.tsx';
import { agentTexts } from './texts.tsx';

/** Of so many agents at most, those that were used last. */
const agentsMost = 50;

export const ActivityPage = () => {
  const { data: me } = useRead(meQuery);
  const read = useRead(agentsQuery);
  const { data: agents } = read;
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
          <h1>{agentTexts.activity.title}</h1>
          <p className="soft">
            {agentTexts.activity.about}{' '}
            {agents !== undefined &&
              agents.length > agentsMost &&
              `${agentTexts.activity.usedLast(agents.length, agentsMost)} `}
            {agentTexts.activity.revoked((words) => (
              <SettingsLink section="audit">{words}</SettingsLink>
            ))}
          </p>
        </div>
      </header>
      {agents === undefined && <Unread of={read} rows={6} needs="settings: manage" />}
      {chosen?.length === 0 && (
        <Empty title={agentTexts.activity.none}>
          {agentTexts.activity.noneAbout((words) => (
            <SettingsLink section="agents">{words}</SettingsLink>
          ))}
        </Empty>
      )}
      {chosen !== null && chosen.length > 0 && <Ledger agents={chosen} isOfMany since={since} />}
    </div>
  );
};
