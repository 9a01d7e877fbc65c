/** Changes of an agent, and the dialogs that they need. Used by AgentsSection and AgentPage. */
import { useRef, useState } from 'react';
import { Confirm } from '../settings/dialogs.tsx';
import { useResource } from '../settings/useResource.tsx';
import { useSettingsChange } from '../settings/useSettingsChange.ts';
import { useSession } from '../shell/session.ts';
import { settingsKeys } from '../wire/settingsQueries.ts';
import type { Agent } from '../wire/types.ts';
import { agentTexts } from './texts.tsx';

/** In the order in which they stand. */
export const modes = ['supervised', 'normal', 'readonly'] as const satisfies readonly Agent['mode'][];

/** Returns whether a text names a mode. */
const isMode = (text: string): text is Agent['mode'] => modes.some((mode) => mode === text);

const choices = modes.map((value) => ({ value, ...agentTexts.modes[value] }));
const { form } = agentTexts;
const texts = {
  ...agentTexts,
  form: { ...form, fields: form.fields.map((field) => (field.as === 'choice' ? { ...field, choices } : field)) },
};

/** How much an agent may do by itself in each mode. */
const freedom: Readonly<Record<Agent['mode'], number>> = { readonly: 0, supervised: 1, normal: 2 };

export const useAgentChanges = () => {
  const { make, open, dialog } = useResource(texts, settingsKeys.agents);
  const { change, dialog: signIn } = useSettingsChange(settingsKeys.agents);
  const { queries, notices } = useSession();
  /** The modes that agents are given by changes which are not answered yet. */
  const given = useRef(new Map<string, Agent['mode']>());
  const [loosened, setLoosened] = useState<{ readonly agent: Agent; readonly mode: Agent['mode'] } | null>(null);
  const switchMode = async (agent: Agent, mode: Agent['mode']): Promise<void> => {
    const to = async (next: Agent['mode']): Promise<boolean> => {
      given.current.set(agent.id, next);
      const isMade = await change<{ readonly agent: Agent }>(
        { method: 'PATCH', path: `/settings/agents/${agent.id}`, body: { mode: next } },
        ({ agent: changed }) => {
          queries.setQueryData<readonly Agent[]>(settingsKeys.agents, (known) =>
            known?.map((each) => (each.id === changed.id ? changed : each)),
          );
          return agentTexts.modes[next].isNow(agent.name);
        },
      );
      if (given.current.get(agent.id) === next) given.current.delete(agent.id);
      return isMade;
    };
    if (await to(mode)) notices.remember(() => void to(agent.mode));
  };
  return {
    make,
    edit: (agent: Agent) => open('edit', agent),
    rotate: (agent: Agent) => open('rotate', agent),
    revoke: (agent: Agent) => open('end', agent),
    setMode: (agent: Agent, mode: string) => {
      // Two keys one after the other: what the first one sets counts, also before it is answered.
      const now = given.current.get(agent.id) ?? agent.mode;
      if (!isMode(mode) || mode === now) return;
      if (freedom[mode] > freedom[now]) setLoosened({ agent, mode });
      else void switchMode(agent, mode);
    },
    dialog: (
      <>
        {dialog}
        {loosened !== null && (
          <Confirm
            title={agentTexts.modes[loosened.mode].loosen(loosened.agent.name)}
            about={agentTexts.modes[loosened.mode].loosenAbout}
            deed={agentTexts.modes[loosened.mode].loosenDeed}
            onConfirm={() => void switchMode(loosened.agent, loosened.mode)}
            onClose={() => setLoosened(null)}
          />
        )}
        {signIn}
      </>
    ),
  };
};
