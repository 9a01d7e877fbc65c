/** One agent supervised: what it asked for, did and was refused, and its modes by one key. Used by AgentsSection. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { RequestEnd } from '../approvals/RequestRow.tsx';
import { Forbidden } from '../settings/Forbidden.tsx';
import { reachText } from '../settings/ResourceForm.tsx';
import { allows } from '../settings/sections.ts';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { settingsTexts } from '../settings/texts.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Ago } from '../ui/marks.tsx';
import { Section } from '../ui/PageParts.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { whenTime } from '../ui/time.ts';
import { requestsOfQuery } from '../wire/approvalQueries.ts';
import { meQuery } from '../wire/queries.ts';
import { agentsQuery } from '../wire/settingsQueries.ts';
import type { Agent, Approval } from '../wire/types.ts';
import { Ledger } from './Ledger.tsx';
import { Reads } from './Reads.tsx';
import { agentTexts } from './texts.tsx';
import { modes, useAgentChanges } from './useAgentChanges.tsx';

const Outcome = ({ approval }: { readonly approval: Approval }) => {
  const { status, requestedAt, note } = approval;
  if (status === 'pending') return agentTexts.waits(<Ago isInSentence at={requestedAt} />);
  return (
    <>
      <RequestEnd approval={approval} />
      {note !== null && <span dir="auto">: {note}</span>}
    </>
  );
};

/** What an agent asked for: what waits for a decision, and what has ended lately, with the note. */
const WaitingRequests = ({ agent }: { readonly agent: string }) => {
  const { http, environment } = useSession();
  const { data = [] } = useQuery({ ...requestsOfQuery(http, agent), retry: false });
  if (data.length === 0) return null;
  return (
    <Section className="waiting" title={agentTexts.requests}>
      <Rows>
        {data.map((approval) => (
          <Row key={approval.id}>
            <Link to="/env/$environment/approvals/$id" params={{ environment, id: approval.id }} dir="auto">
              {approval.sentence}
            </Link>
            <span className="soft">
              <Outcome approval={approval} />
            </span>
          </Row>
        ))}
      </Rows>
    </Section>
  );
};

const modeKeys: Readonly<Record<Agent['mode'], string>> = { supervised: 's', normal: 'm', readonly: 'o' };

const Facts = ({ agent }: { readonly agent: Agent }) => (
  <p className="soft">
    {agentTexts.roleIn(agent.role.name, reachText(agent.environments))} ·{' '}
    {agent.lastUsedAt === null ? agentTexts.wasNeverUsed : agentTexts.used(<Ago isInSentence at={agent.lastUsedAt} />)}
    {agent.expiresAt !== null && ` · ${agentTexts.worksUntil(whenTime(agent.expiresAt))}`}
  </p>
);

export const AgentPage = ({ id }: { readonly id: string }) => {
  const { data: me } = useRead(meQuery);
  const mayManage = me !== undefined && allows(me, 'settings: manage');
  const { data: agents } = useRead(agentsQuery, { enabled: mayManage });
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
              {mayManage ? settingsTexts.sections.agents : settingsTexts.sections.activity}
            </SettingsLink>
          </p>
          <h1 dir="auto">{agent?.name ?? (agents === undefined ? agentTexts.oneAgent : agentTexts.notFound)}</h1>
          {agent !== undefined && (
            <p role="status">
              {agentTexts.modeNow(agentTexts.modes[agent.mode].label, agentTexts.modes[agent.mode].about)}
            </p>
          )}
          {agent !== undefined && <Facts agent={agent} />}
        </div>
        {agent !== undefined && (
          <div className="deeds">
            {modes.map((mode) => (
              <Button
                key={mode}
                aria-pressed={agent.mode === mode}
                title={agentTexts.modes[mode].about}
                onClick={change(mode)}
                shortcut={modeKeys[mode]}
              >
                {agentTexts.modes[mode].label}
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
