/** The fields of an action's input. Used by ActionForm. */
import { type ReactNode, useId } from 'react';
import { RecordChoices } from '../content/RecordChoices.tsx';
import { currencyIn, isCurrency } from '../content/values.ts';
import { Button } from '../ui/Button.tsx';
import { Options, Label, ProblemText } from '../ui/fields.tsx';
import {
  type InputDraft,
  type InputProblem,
  below,
  choiceKey,
  hasText,
  isGroupDraft,
  isListDraft,
  toDraft,
} from './inputDraft.ts';
import type { Field } from './schema.ts';
import { actionTexts } from './texts.tsx';

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
          ['true', actionTexts.field.yes],
          ['false', actionTexts.field.no],
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
      <option value="">{field.isRequired ? actionTexts.field.choose : actionTexts.field.notGiven}</option>
      <Options of={choices} />
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
  const input = (
    <input
      {...common}
      type={inputTypes[field.kind === 'text' ? (field.format ?? '') : field.kind] ?? 'text'}
      dir="auto"
      autoComplete="off"
      {...(field.kind === 'number' ? { inputMode: field.isWhole ? 'numeric' : 'decimal' } : {})}
      onChange={({ target }) => onChange(target.value)}
    />
  );
  if (field.kind !== 'number' || !isCurrency(field.currency)) return input;
  return (
    <span className="with-unit">
      {input} <span>{field.currency}</span>
    </span>
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
            field={{ ...field.item, label: actionTexts.field.row(field.label, at + 1) }}
            draft={row}
            path={below(path, String(at))}
            problems={problems}
            onChange={(next) => onChange(rows.with(at, next))}
          />
          <Button
            tone="bare"
            aria-label={actionTexts.field.removeRow(field.label, at + 1)}
            onClick={() => onChange(rows.toSpliced(at, 1))}
          >
            {actionTexts.field.remove}
          </Button>
        </div>
      ))}
      {(field.most === null || rows.length < field.most) && (
        <Button className="field-add" onClick={() => onChange([...rows, toDraft(field.item, undefined)])}>
          {actionTexts.field.add(field.label)}
        </Button>
      )}
    </>
  );
};

const memberDraft = (draft: InputDraft, name: string): InputDraft =>
  isGroupDraft(draft) && Object.hasOwn(draft, name) ? (draft[name] ?? '') : '';

/** Returns a field with the currency that another field of its object has. */
const withCurrencyOf = (member: Field, draft: InputDraft): Field => {
  if (member.kind !== 'number' || !isGroupDraft(draft)) return member;
  const texts = Object.entries(draft).map(([name, text]) => [
    name,
    typeof text === 'string' ? text.replaceAll('"', '') : '',
  ]);
  return { ...member, currency: currencyIn(member.currency ?? {}, Object.fromEntries(texts)) ?? member.currency };
};

/** The fields of an object, without a frame. An optional object needs its members once one of them is given. */
const Members = ({
  field,
  draft,
  path,
  problems,
  onChange,
}: SchemaFieldProps & { readonly field: Field & { kind: 'group' } }) => {
  const isNeeded = field.isRequired || hasText(draft);
  return field.members.map((declared) => {
    const member = withCurrencyOf(declared, draft);
    return (
      <SchemaField
        key={member.name}
        field={isNeeded ? member : { ...member, isRequired: false }}
        draft={memberDraft(draft, member.name)}
        path={below(path, member.name)}
        problems={problems}
        onChange={(next) => onChange({ ...(isGroupDraft(draft) ? draft : {}), [member.name]: next })}
      />
    );
  });
};

const isBelow = (path: string, holder: string): boolean =>
  path !== holder && (holder === '' || path.startsWith(`${holder}.`));

const hintOf = (field: Field): string =>
  [
    ...(field.description === null ? [] : [field.description]),
    ...(field.kind === 'number' && field.limits !== '' ? [field.limits] : []),
    ...(field.kind === 'json' ? [actionTexts.field.asJson] : []),
  ].join(' · ');

/** A field of an action's form with its description and its problem; lists and groups hold further ones. */
const SchemaField = (props: SchemaFieldProps) => {
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
          {actionTexts.field.problem(
            isBelow(at, path) ? at.slice(path === '' ? 0 : path.length + 1) : field.label,
            message,
          )}
        </span>
      ))}
    </>
  );
  const title = <Label words={<span dir="auto">{field.label}</span>} isOptional={!field.isRequired} />;
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
        {field.kind === 'text' && field.resource !== null && (
          <RecordChoices resource={field.resource} id={typeof draft === 'string' ? draft : ''} onId={props.onChange} />
        )}
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

/** Problems stand at the field that they are about; those of no field stand above all. */
export const InputForm = ({ field, draft, problems, onChange }: Omit<SchemaFieldProps, 'path'>) => {
  if (field.kind !== 'group')
    return (
      <SchemaField
        field={{ ...field, label: field.label === '' ? actionTexts.field.input : field.label }}
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
        <ProblemText key={`${path} ${message}`} text={actionTexts.field.problem(path, message)} />
      ))}
      <Members field={field} draft={draft} path="" problems={problems} onChange={onChange} />
    </>
  );
};
