/** A field of an action's form with its description and its problem; lists and groups hold further ones. Used by InputForm. */
import { useId, type ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { Optional } from '../ui/Optional.tsx';
import { fieldTexts } from './fieldTexts.ts';
import {
  below,
  choiceKey,
  hasText,
  isGroupDraft,
  isListDraft,
  toDraft,
  type InputDraft,
  type InputProblem,
} from './inputDraft.ts';
import type { Field } from './schema.ts';

interface SchemaFieldProps {
  readonly field: Field;
  readonly draft: InputDraft;
  /** Dotted, from the input; empty: the input itself. */
  readonly path: string;
  readonly problems: readonly InputProblem[];
  readonly onChange: (draft: InputDraft) => void;
}

type ControlProps = SchemaFieldProps & { readonly text: string; readonly about: string | undefined };

const Select = ({ field, text, path, about, problems, onChange }: ControlProps) => {
  const choices =
    field.kind === 'choice'
      ? field.choices.map(({ value, label }) => [choiceKey(value), label] as const)
      : ([
          ['true', fieldTexts.yes],
          ['false', fieldTexts.no],
        ] as const);
  return (
    <select
      name={path}
      value={text}
      required={field.isRequired}
      aria-describedby={about}
      aria-invalid={problems.length > 0}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{field.isRequired ? fieldTexts.choose : fieldTexts.notGiven}</option>
      {choices.map(([key, label]) => (
        <option key={key} value={key}>
          {label}
        </option>
      ))}
    </select>
  );
};

const inputTypes: Readonly<Record<string, string>> = {
  date: 'date',
  time: 'datetime-local',
  email: 'email',
  uri: 'url',
};

/** The control of a value that is one text. */
const Control = (props: ControlProps) => {
  const { field, text, path, about, problems, onChange } = props;
  const common = {
    name: path,
    value: text,
    required: field.isRequired && !field.isNullable,
    'aria-describedby': about,
    'aria-invalid': problems.length > 0,
    spellCheck: field.kind === 'long',
  };
  if (field.kind === 'choice' || field.kind === 'boolean') return <Select {...props} />;
  if (field.kind === 'long' || field.kind === 'json')
    return (
      <textarea
        {...common}
        className={field.kind === 'json' ? 'json' : ''}
        rows={field.kind === 'json' ? 4 : 2}
        dir="auto"
        onChange={({ target }) => onChange(target.value)}
      />
    );
  return (
    <input
      {...common}
      type={inputTypes[field.kind === 'text' ? (field.format ?? '') : field.kind] ?? 'text'}
      dir="auto"
      autoComplete="off"
      {...(field.kind === 'number' ? { inputMode: field.isWhole ? 'numeric' : 'decimal' } : {})}
      onChange={({ target }) => onChange(target.value)}
    />
  );
};

const Rows = ({
  field,
  draft,
  path,
  problems,
  onChange,
}: SchemaFieldProps & { readonly field: Field & { kind: 'list' } }) => {
  const rows = isListDraft(draft) ? draft : [];
  return (
    <>
      {rows.map((row, at) => (
        // Rows have no identity but their place.
        <div className="field-row" key={at}>
          <SchemaField
            field={{ ...field.item, label: fieldTexts.row(field.label, at + 1) }}
            draft={row}
            path={below(path, String(at))}
            problems={problems}
            onChange={(next) => onChange(rows.with(at, next))}
          />
          <Button
            tone="bare"
            aria-label={fieldTexts.removeRow(field.label, at + 1)}
            onClick={() => onChange(rows.toSpliced(at, 1))}
          >
            {fieldTexts.remove}
          </Button>
        </div>
      ))}
      {(field.most === null || rows.length < field.most) && (
        <Button className="field-add" onClick={() => onChange([...rows, toDraft(field.item, undefined)])}>
          {fieldTexts.add(field.label)}
        </Button>
      )}
    </>
  );
};

const memberDraft = (draft: InputDraft, name: string): InputDraft =>
  isGroupDraft(draft) && Object.hasOwn(draft, name) ? (draft[name] ?? '') : '';

/** The fields of an object, without a frame. An optional object needs its members once one of them is given. */
export const Members = ({
  field,
  draft,
  path,
  problems,
  onChange,
}: SchemaFieldProps & { readonly field: Field & { kind: 'group' } }) => {
  const isNeeded = field.isRequired || hasText(draft);
  return field.members.map((member) => (
    <SchemaField
      key={member.name}
      field={isNeeded ? member : { ...member, isRequired: false }}
      draft={memberDraft(draft, member.name)}
      path={below(path, member.name)}
      problems={problems}
      onChange={(next) => onChange({ ...(isGroupDraft(draft) ? draft : {}), [member.name]: next })}
    />
  ));
};

const isBelow = (path: string, holder: string): boolean =>
  path !== holder && (holder === '' || path.startsWith(`${holder}.`));

const hintOf = (field: Field): string =>
  [
    ...(field.description === null ? [] : [field.description]),
    ...(field.kind === 'number' && field.limits !== '' ? [field.limits] : []),
    ...(field.kind === 'json' ? [fieldTexts.asJson] : []),
  ].join(' · ');

export const SchemaField = (props: SchemaFieldProps) => {
  const { field, draft, path, problems } = props;
  const id = useId();
  const hint = hintOf(field);
  const isSimple = field.kind !== 'list' && field.kind !== 'group';
  const own = problems.filter((problem) => problem.path === path || (isSimple && isBelow(problem.path, path)));
  const notes: ReactNode = (
    <>
      {hint !== '' && (
        <span className="soft field-hint" id={`${id}-hint`} dir="auto">
          {hint}
        </span>
      )}
      {own.map(({ path: at, message }) => (
        <span className="problem" role="alert" key={`${at} ${message}`} id={`${id}-problem`}>
          {fieldTexts.problem(isBelow(at, path) ? at.slice(path === '' ? 0 : path.length + 1) : field.label, message)}
        </span>
      ))}
    </>
  );
  const title = (
    <span>
      <span dir="auto">{field.label}</span> {!field.isRequired && <Optional />}
    </span>
  );
  if (isSimple) {
    const about = [...(hint === '' ? [] : [`${id}-hint`]), ...(own.length === 0 ? [] : [`${id}-problem`])].join(' ');
    return (
      <div className="field">
        <label>
          {title}
          <Control
            {...props}
            problems={own}
            text={typeof draft === 'string' ? draft : ''}
            about={about === '' ? undefined : about}
          />
        </label>
        {notes}
      </div>
    );
  }
  return (
    <fieldset className="field group">
      <legend>{title}</legend>
      {notes}
      {field.kind === 'list' ? <Rows {...props} field={field} /> : <Members {...props} field={field} />}
    </fieldset>
  );
};
