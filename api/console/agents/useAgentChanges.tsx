/** Changes of an agent, and the dialogs that they need. Used by AgentsPage and AgentPage. */
import { useState, type ReactNode } from 'react';
import { Confirm } from '../settings/Confirm.tsx';
import { CredentialDialog } from '../settings/CredentialDialog.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { settingsKeys } from '../wire/settingsQueries.ts';
import type { Agent } from '../wire/types.ts';
import { AgentForm } from './AgentForm.tsx';
import { credentialParts, type MadeAgent } from './credential.ts';
import { modes } from './modes.ts';
import { RotateAgent } from './RotateAgent.tsx';

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
        title={`Revoke ${open.agent.name}?`}
        about="Its tokens end at once, everywhere, and what it has asked for can’t be approved any more. This can’t be undone; a new agent can be made."
        deed={`Revoke ${open.agent.name}`}
        onConfirm={() =>
          void change({ method: 'DELETE', path: `/settings/agents/${open.agent.id}` }, `${open.agent.name} is revoked.`)
        }
        onClose={close}
      />
    );
  else if (open?.what === 'credential') {
    const { agent } = open.made;
    shown = (
      <CredentialDialog
        title={`${agent.name} is ready`}
        about={`The token is shown this once. Keep it where ${agent.name} runs, and nowhere else.`}
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
    setMode: ({ id, name }, mode) =>
      void change(
        { method: 'PATCH', path: `/settings/agents/${id}`, body: { mode } },
        `${name} is ${modes.find((each) => each.mode === mode)?.label.toLowerCase() ?? mode} now.`,
      ),
    dialog: (
      <>
        {shown}
        {dialog}
      </>
    ),
  };
};
