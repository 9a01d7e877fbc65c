/** One agent supervised: what it did, asked and was refused, and its modes by one key. Used by AgentsSection. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Forbidden } from '../settings/Forbidden.tsx';
import { reachText } from '../settings/ReachField.tsx';
import { allows } from '../settings/sections.ts';
import { sectionTexts } from '../settings/sectionTexts.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { whenTime } from '../ui/time.ts';
import { Ago } from '../ui/Time.tsx';
import { meQuery } from '../wire/queries.ts';
import { agentsQuery } from '../wire/settingsQueries.ts';
import type { Agent } from '../wire/types.ts';
import { Ledger } from './Ledger.tsx';
import { modes } from './modes.ts';
import { modeTexts } from './modeTexts.ts';
import { Reads } from './Reads.tsx';
import { agentTexts } from './texts.tsx';
import { useAgentChanges } from './useAgentChanges.tsx';
import { WaitingRequests } from './WaitingRequests.tsx';

const modeKeys: Readonly<Record<Agent['mode'], string>> = { supervised: 's', normal: 'm', readonly: 'o' };

const Facts = ({ agent }: { readonly agent: Agent }) => (
  <p className="soft">
    {agentTexts.roleIn(agent.role.name, reachText(agent.environments))} ·{' '}
    {agent.lastUsedAt === null ? agentTexts.wasNeverUsed : agentTexts.used(<Ago isInSentence at={agent.lastUsedAt} />)}
    {agent.expiresAt !== null && ` · ${agentTexts.worksUntil(whenTime(agent.expiresAt))}`}
  </p>
);

export const AgentPage = ({ id }: { readonly id: string }) => {
  const { http } = useSession();
  const { data: me } = useQuery(meQuery(http));
  const mayManage = me !== undefined && allows(me, 'settings: manage');
  const { data: agents } = useQuery({ ...agentsQuery(http), enabled: mayManage });
  const { setMode, edit, rotate, revoke, dialog } = useAgentChanges();
  const agent = agents?.find((each) => each.id === id);
  const ids = useMemo(() => [id], [id]);
  const change = (mode: Agent['mode']) => (): void => {
    if (agent !== undefined) setMode(agent, mode);
  };
  useKeys(
    {
      s: change('supervised'),
      m: change('normal'),
      o: change('readonly'),
      Backspace: agent === undefined ? undefined : () => revoke(agent),
    },
    'agent',
  );
  return (
    <div className="column wide home">
      <header className="column-head">
        <div>
          <p className="soft">
            <SettingsLink section={mayManage ? 'agents' : 'activity'}>
              {mayManage ? sectionTexts.agents : sectionTexts.activity}
            </SettingsLink>
          </p>
          <h1 dir="auto">{agent?.name ?? (agents === undefined ? agentTexts.oneAgent : agentTexts.notFound)}</h1>
          {agent !== undefined && (
            <p role="status">{agentTexts.modeNow(modeTexts[agent.mode].label, modeTexts[agent.mode].about)}</p>
          )}
          {agent !== undefined && <Facts agent={agent} />}
        </div>
        {agent !== undefined && (
          <div className="deeds">
            {modes.map((mode) => (
              <Button
                key={mode}
                aria-pressed={agent.mode === mode}
                title={modeTexts[mode].about}
                onClick={change(mode)}
                shortcut={modeKeys[mode]}
              >
                {modeTexts[mode].label}
              </Button>
            ))}
            <Button onClick={() => edit(agent)}>{agentTexts.edit}</Button>
            <Button onClick={() => rotate(agent)}>{agentTexts.rotate}</Button>
            <Button tone="danger" onClick={() => revoke(agent)} shortcut="⌫">
              {agentTexts.revoke}
            </Button>
          </div>
        )}
      </header>
      {me !== undefined &&
        (allows(me, 'audit: see') ? (
          <>
            <WaitingRequests agent={id} />
            <Reads key={id} agent={id} />
            <Ledger agents={ids} isOfMany={false} since={0} />
          </>
        ) : (
          <Forbidden needs="audit: see" />
        ))}
      {dialog}
    </div>
  );
};
