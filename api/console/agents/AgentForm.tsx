/** The form of an agent, new or changed; a change sends only what is another. Used by useAgentChanges. */
import { DraftDialog } from '../settings/DraftDialog.tsx';
import { NameField } from '../settings/NameField.tsx';
import { ReachField } from '../settings/ReachField.tsx';
import { RoleField } from '../settings/RoleField.tsx';
import { useSession } from '../shell/session.ts';
import { useFormDraft } from '../ui/draft.ts';
import { Optional } from '../ui/Optional.tsx';
import { fromLocalTime, toLocalTime } from '../ui/timeZone.ts';
import type { Agent } from '../wire/types.ts';
import { modes } from './modes.ts';
import { modeTexts } from './modeTexts.ts';
import { agentTexts } from './texts.tsx';

const texts = agentTexts.form;

interface AgentFormProps {
  /** null: a new one. */
  readonly agent: Agent | null;
  readonly onSubmit: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

interface Fields extends Readonly<Record<string, string>> {
  readonly name: string;
  readonly role: string;
  readonly mode: string;
  readonly environments: string;
  readonly expires: string;
}

const fieldsOf = (agent: Agent): Fields => ({
  name: agent.name,
  role: agent.role.id,
  mode: agent.mode,
  environments: agent.environments.join(','),
  expires: agent.expiresAt === null ? '' : toLocalTime(agent.expiresAt),
});

/** Returns the body of the call: of a change, what differs. */
const bodyOf = (given: Fields, before: Fields | null): object => {
  const whole: Readonly<Record<string, unknown>> = {
    name: given.name.trim(),
    role: given.role,
    mode: given.mode,
    environments: given.environments.split(',').filter(Boolean),
    expiresAt: given.expires === '' ? null : fromLocalTime(given.expires),
  };
  const same = (name: string): boolean =>
    before !== null && (name === 'expiresAt' ? given.expires === before.expires : given[name] === before[name]);
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !same(name)));
};

export const AgentForm = ({ agent, onSubmit, onClose }: AgentFormProps) => {
  const { environment } = useSession();
  const before = agent === null ? null : fieldsOf(agent);
  const fresh: Fields = { name: '', role: '', mode: 'supervised', environments: environment, expires: '' };
  const [fields, set, forget, isTyped] = useFormDraft<Fields>(`agent.${agent?.id ?? 'new'}`, before ?? fresh);
  return (
    <DraftDialog
      title={agent === null ? agentTexts.make : texts.change(agent.name)}
      about={agent === null ? texts.newAbout : texts.changeAbout}
      deed={agent === null ? texts.newDeed : texts.change(agent.name)}
      isNew={agent === null}
      // The usual role is filled in by itself.
      isTyped={agent === null ? fields.name !== '' : isTyped}
      bodyOf={() => bodyOf(fields, before)}
      onSubmit={onSubmit}
      forget={forget}
      onClose={onClose}
    >
      <NameField name={fields.name} placeholder={texts.nameExample} onName={(name) => set({ name })} />
      <RoleField role={fields.role} onRole={(role) => set({ role })} />
      {agent === null && (
        <fieldset>
          <legend>{texts.mode}</legend>
          {modes.map((mode) => (
            <label className="choice" key={mode}>
              <input type="radio" name="mode" checked={fields.mode === mode} onChange={() => set({ mode })} />
              <span>
                {modeTexts[mode].label}
                <span className="soft"> {modeTexts[mode].about}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <ReachField
        reach={fields.environments.split(',').filter(Boolean)}
        onReach={(reach) => set({ environments: reach.join(',') })}
      />
      <label>
        <span>
          {texts.worksUntil} <Optional />
        </span>
        <input type="datetime-local" value={fields.expires} onChange={({ target }) => set({ expires: target.value })} />
      </label>
    </DraftDialog>
  );
};
