/** Changes of an agent, and the dialogs that they need. Used by AgentsPage and AgentPage. */
import { useState, type ReactNode } from 'react';
import { Confirm } from '../settings/Confirm.tsx';
import { CredentialDialog } from '../settings/CredentialDialog.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { settingsKeys } from '../wire/settingsQueries.ts';
import type { Agent } from '../wire/types.ts';
import { AgentForm } from './AgentForm.tsx';
import { credentialParts, type MadeAgent } from './credential.ts';
import { isMode } from './modes.ts';
import { modeTexts } from './modeTexts.ts';
import { RotateAgent } from './RotateAgent.tsx';
import { agentTexts } from './texts.tsx';

const { revocation, credential } = agentTexts;

type Open =
  | { readonly what: 'new' }
  | { readonly what: 'edit' | 'rotate' | 'revoke'; readonly agent: Agent }
  | { readonly what: 'loosen'; readonly agent: Agent; readonly mode: Agent['mode'] }
  | { readonly what: 'credential' | 'rotated'; readonly made: MadeAgent };

/** How much an agent may do by itself in each mode. */
const freedom: Readonly<Record<Agent['mode'], number>> = { readonly: 0, supervised: 1, normal: 2 };

interface AgentChanges {
  setMode(agent: Agent, mode: string): void;
  make(): void;
  edit(agent: Agent): void;
  rotate(agent: Agent): void;
  revoke(agent: Agent): void;
  readonly dialog: ReactNode;
}

export const useAgentChanges = (): AgentChanges => {
  const { call, change, dialog } = useSettingsChange(settingsKeys.agents);
  const { notices } = useSession();
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const show = (made: MadeAgent): void => setOpen({ what: 'credential', made });
  const switchMode = async (agent: Agent, mode: Agent['mode']): Promise<void> => {
    const to = (next: Agent['mode']): Promise<boolean> =>
      change(
        { method: 'PATCH', path: `/settings/agents/${agent.id}`, body: { mode: next } },
        modeTexts[next].isNow(agent.name),
      );
    if (await to(mode)) notices.remember(() => void to(agent.mode));
  };
  let shown: ReactNode = null;
  if (open?.what === 'new')
    shown = (
      <AgentForm
        agent={null}
        onSubmit={async (body) => show(await call({ method: 'POST', path: '/settings/agents', body }))}
        onClose={close}
      />
    );
  else if (open?.what === 'edit')
    shown = (
      <AgentForm
        agent={open.agent}
        onSubmit={async (body) => {
          await call({ method: 'PATCH', path: `/settings/agents/${open.agent.id}`, body });
          close();
        }}
        onClose={close}
      />
    );
  else if (open?.what === 'rotate')
    shown = (
      <RotateAgent
        agent={open.agent}
        onSubmit={async (grace) => {
          const path = `/settings/agents/${open.agent.id}/rotate`;
          setOpen({ what: 'rotated', made: await call({ method: 'POST', path, body: { grace } }) });
        }}
        onClose={close}
      />
    );
  else if (open?.what === 'revoke')
    shown = (
      <Confirm
        title={revocation.title(open.agent.name)}
        about={revocation.about}
        deed={agentTexts.revokeOf(open.agent.name)}
        onConfirm={() =>
          void change({ method: 'DELETE', path: `/settings/agents/${open.agent.id}` }, revocation.done(open.agent.name))
        }
        onClose={close}
      />
    );
  else if (open?.what === 'loosen') {
    const { agent, mode } = open;
    shown = (
      <Confirm
        title={modeTexts[mode].loosen(agent.name)}
        about={modeTexts[mode].loosenAbout}
        deed={modeTexts[mode].loosenDeed}
        onConfirm={() => void switchMode(agent, mode)}
        onClose={close}
      />
    );
  } else if (open !== null && 'made' in open) {
    const { agent } = open.made;
    shown = (
      <CredentialDialog
        title={(open.what === 'rotated' ? credential.newTitle : credential.title)(agent.name)}
        about={credential.about(agent.name)}
        parts={credentialParts(open.made)}
        onClose={close}
      />
    );
  }
  return {
    make: () => setOpen({ what: 'new' }),
    edit: (agent) => setOpen({ what: 'edit', agent }),
    rotate: (agent) => setOpen({ what: 'rotate', agent }),
    revoke: (agent) => setOpen({ what: 'revoke', agent }),
    setMode: (agent, mode) => {
      if (!isMode(mode) || mode === agent.mode) return;
      if (freedom[mode] > freedom[agent.mode]) setOpen({ what: 'loosen', agent, mode });
      else void switchMode(agent, mode);
    },
    dialog: (
      <>
        {shown}
        {dialog}
      </>
    ),
  };
};
