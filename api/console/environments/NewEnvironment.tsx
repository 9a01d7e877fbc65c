/** The form of a new environment. Used by EnvironmentsSection. */
import { SubmitDialog } from '../settings/SubmitDialog.tsx';
import { useFormDraft } from '../ui/draft.ts';
import { switches } from './switches.ts';

interface NewEnvironmentProps {
  readonly onSubmit: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

/** Independent approval is set once there are people. */
const atOnce = switches.filter(({ name }) => name !== 'independentApproval');

export const NewEnvironment = ({ onSubmit, onClose }: NewEnvironmentProps) => {
  const [fields, set, forget] = useFormDraft<Readonly<Record<string, string>>>('environment.new', { name: '' });
  const submit = async (): Promise<void> => {
    const on = Object.fromEntries(atOnce.flatMap(({ name }) => (fields[name] === 'on' ? [[name, true]] : [])));
    await onSubmit({ name: (fields['name'] ?? '').trim(), ...on });
    forget();
  };
  return (
    <SubmitDialog
      title="New environment"
      about="It is empty until an app declares what it holds. You have access to it."
      deed="Make environment"
      submit={submit}
      onClose={onClose}
    >
      <label>
        Name, as a part of its address
        <input
          required
          maxLength={100}
          pattern="[A-Za-z][A-Za-z0-9_.\-]*"
          title="A letter, then letters, digits, _, . and -"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          placeholder="acceptance"
          value={fields['name']}
          onChange={({ target }) => set({ name: target.value })}
        />
      </label>
      <fieldset>
        <legend className="hidden">What it demands</legend>
        {atOnce.map(({ name, label, about }) => (
          <label className="choice" key={name}>
            <input
              type="checkbox"
              checked={fields[name] === 'on'}
              onChange={({ target }) => set({ [name]: target.checked ? 'on' : '' })}
            />
            <span>
              {label} <span className="soft">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </SubmitDialog>
  );
};
