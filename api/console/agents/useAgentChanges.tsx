/** Changes of an agent, and the dialogs that they need. Used by AgentsPage and AgentPage. */
import { useState, type ReactNode } from 'react';
import { Confirm } from '../settings/Confirm.tsx';
import { CredentialDialog } from '../settings/CredentialDialog.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
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
  | { readonly what: 'credential'; readonly made: MadeAgent };

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
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  const show = (made: MadeAgent): void => setOpen({ what: 'credential', made });
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
        onSubmit={async (grace) =>
          show(await call({ method: 'POST', path: `/settings/agents/${open.agent.id}/rotate`, body: { grace } }))
        }
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
  else if (open?.what === 'credential') {
    const { agent } = open.made;
    shown = (
      <CredentialDialog
        title={credential.title(agent.name)}
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
    setMode: ({ id, name }, mode) => {
      if (!isMode(mode)) return;
      void change({ method: 'PATCH', path: `/settings/agents/${id}`, body: { mode } }, modeTexts[mode].isNow(name));
    },
    dialog: (
      <>
        {shown}
        {dialog}
      </>
    ),
  };
};
