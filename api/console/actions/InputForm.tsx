/** The fields of an action's input. Used by ActionForm. */
import { fieldTexts } from './fieldTexts.ts';
import type { InputDraft, InputProblem } from './inputDraft.ts';
import type { Field } from './schema.ts';
import { Members, SchemaField } from './SchemaField.tsx';

interface InputFormProps {
  readonly field: Field;
  readonly draft: InputDraft;
  readonly problems: readonly InputProblem[];
  readonly onChange: (draft: InputDraft) => void;
}

/** Problems stand at the field that they are about; those of no field stand above all. */
export const InputForm = ({ field, draft, problems, onChange }: InputFormProps) => {
  if (field.kind !== 'group')
    return (
      <SchemaField
        field={{ ...field, label: field.label === '' ? fieldTexts.input : field.label }}
        draft={draft}
        path=""
        problems={problems}
        onChange={onChange}
      />
    );
  const others = problems.filter(({ path }) => !field.members.some(({ name }) => name === path.split('.')[0]));
  return (
    <>
      {others.map(({ path, message }) => (
        <p className="problem" role="alert" key={`${path} ${message}`}>
          {fieldTexts.problem(path, message)}
        </p>
      ))}
      <Members field={field} draft={draft} path="" problems={problems} onChange={onChange} />
    </>
  );
};
