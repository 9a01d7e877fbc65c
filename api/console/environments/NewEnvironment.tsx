/** The form of a new environment. Used by EnvironmentsSection. */
import { FieldProblem } from '../settings/FieldProblem.tsx';
import { SubmitDialog } from '../settings/SubmitDialog.tsx';
import { useFormDraft } from '../ui/draft.ts';
import { Switches, switches } from './Switches.tsx';
import { environmentTexts } from './texts.tsx';

interface NewEnvironmentProps {
  readonly onSubmit: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

/** Independent approval is set once there are people. */
const atOnce = switches.filter((name) => name !== 'independentApproval');

export const NewEnvironment = ({ onSubmit, onClose }: NewEnvironmentProps) => {
  const [fields, set, forget] = useFormDraft<Readonly<Record<string, string>>>('environment.new', { name: '' });
  const submit = async (): Promise<void> => {
    const on = Object.fromEntries(atOnce.flatMap((name) => (fields[name] === 'on' ? [[name, true]] : [])));
    await onSubmit({ name: (fields['name'] ?? '').trim(), ...on });
    forget();
  };
  return (
    <SubmitDialog
      title={environmentTexts.make}
      about={environmentTexts.makeAbout}
      deed={environmentTexts.makeDeed}
      submit={submit}
      onClose={onClose}
    >
      {(taken) => (
        <>
          <label>
            {environmentTexts.name}
            <input
              required
              maxLength={100}
              pattern="[A-Za-z][A-Za-z0-9_.\-]*"
              title={environmentTexts.nameRule}
              autoFocus
              aria-invalid={taken !== null}
              autoComplete="off"
              spellCheck={false}
              placeholder={environmentTexts.nameExample}
              value={fields['name']}
              onChange={({ target }) => set({ name: target.value })}
            />
          </label>
          <FieldProblem text={taken} />
          <Switches
            legend={environmentTexts.demands}
            names={atOnce}
            isOn={(name) => fields[name] === 'on'}
            onChange={(name, isOn) => set({ [name]: isOn ? 'on' : '' })}
          />
        </>
      )}
    </SubmitDialog>
  );
};
