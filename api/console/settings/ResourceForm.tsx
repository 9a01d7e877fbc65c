/** The form of a settings resource, new or changed, kept as a draft; a change sends only what is another. Used by useResource, people and environments. */
import { useState, type ComponentType, type ReactNode, useEffect } from 'react';
import { useSession, useRead } from '../shell/session.ts';
import { useFormDraft } from '../ui/draft.ts';
import { ProblemText, TextInput, Options, Tick, RestoredNote } from '../ui/fields.tsx';
import { inRow } from '../ui/plural.ts';
import { fromLocalTime, toLocalTime } from '../ui/wallTime.ts';
import { meQuery } from '../wire/queries.ts';
import { rolesQuery } from '../wire/settingsQueries.ts';
import { SubmitDialog } from './dialogs.tsx';
import type { Field, FieldKind, FormTexts, Thing } from './resourceRow.ts';
import { settingsTexts } from './texts.ts';

interface ReachFieldProps {
  /** Names, or `*` alone for all. */
  readonly reach: readonly string[];
  readonly onReach: (reach: readonly string[]) => void;
}

/** Returns the environments in words. */
export const reachText = (reach: readonly string[]): string =>
  reach.includes('*') ? settingsTexts.allEnvironments : inRow(reach);

/** The environments of an agent or a person, as a part of a form. */
const ReachField = ({ reach, onReach }: ReachFieldProps) => {
  const { data: me } = useRead(meQuery);
  const names = reach.filter((name) => name !== '*');
  const known = [...new Set([...(me?.environments ?? []).map(({ name }) => name), ...names])];
  const isAll = reach.includes('*');
  return (
    <fieldset>
      <legend>{settingsTexts.environments}</legend>
      <Tick
        label={settingsTexts.all}
        about={settingsTexts.allAbout}
        isOn={isAll}
        onTick={(isOn) => onReach(isOn ? ['*'] : known.slice(0, 1))}
      />
      {known.map((name) => (
        <Tick
          key={name}
          label={name}
          disabled={isAll}
          isOn={isAll || reach.includes(name)}
          onTick={(isOn) => onReach(isOn ? [...names, name] : names.filter((each) => each !== name))}
        />
      ))}
    </fieldset>
  );
};

interface RoleFieldProps {
  /** Its id; empty: none is chosen yet, and the usual one is taken. */
  readonly role: string;
  readonly onRole: (role: string) => void;
}

/** The role of an agent or a person, as a part of a form. */
const RoleField = ({ role, onRole }: RoleFieldProps) => {
  const { data: roles } = useRead(rolesQuery);
  useEffect(() => {
    const usual = roles?.find(({ name }) => name === 'operator');
    if (role === '' && usual !== undefined) onRole(usual.id);
  });
  return (
    <label>
      {settingsTexts.role}
      <select required value={role} onChange={({ target }) => onRole(target.value)}>
        <option value="" disabled>
          {settingsTexts.chooseRole}
        </option>
        <Options of={roles?.map(({ id, name }) => [id, name])} />
      </select>
    </label>
  );
};

interface InputProps {
  readonly field: Field;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Whether it can't be saved as it is. */
  readonly isWrong: boolean;
  readonly isFirst: boolean;
}

interface Kind {
  /** Returns the text of a value of the API, and the value that a text is sent as. */
  read(value: unknown): string;
  write(text: string): unknown;
  readonly Input: ComponentType<InputProps>;
  /** Whether it holds what somebody typed. */
  readonly isTyped?: boolean;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (text: string): readonly string[] => text.split(',').filter(Boolean);

const Line = ({ field: { as, label, example, form, most = 200 }, text, onText, isWrong, isFirst }: InputProps) => (
  <TextInput
    label={label ?? settingsTexts.name}
    required
    type={as === 'email' ? 'email' : 'text'}
    maxLength={most}
    autoFocus={isFirst}
    aria-invalid={isWrong}
    value={text}
    onValue={onText}
    {...(example === undefined ? {} : { placeholder: example })}
    {...(form === undefined ? {} : { pattern: form[0], title: form[1], spellCheck: false })}
  />
);

const Choice = ({ field: { name, label, choices = [] }, text, onText }: InputProps) => (
  <fieldset>
    <legend>{label}</legend>
    {choices.map(({ value, ...choice }) => (
      <Tick key={value} type="radio" name={name} {...choice} isOn={text === value} onTick={() => onText(value)} />
    ))}
  </fieldset>
);

const Switch = ({ field: { label, about }, text, onText }: InputProps) => (
  <Tick label={label} about={about} isOn={text === 'on'} onTick={(isOn) => onText(isOn ? 'on' : '')} />
);

const Time = ({ field: { label }, text, onText }: InputProps) => (
  <TextInput label={label} isOptional type="datetime-local" value={text} onValue={onText} />
);

const line: Kind = { read: textOf, write: (text) => text.trim(), Input: Line, isTyped: true };

const kinds: Readonly<Record<FieldKind, Kind>> = {
  name: line,
  email: line,
  line,
  role: {
    read: (role) => (typeof role === 'object' && role !== null && 'id' in role ? textOf(role.id) : ''),
    write: (text) => text,
    Input: ({ text, onText }) => <RoleField role={text} onRole={onText} />,
  },
  reach: {
    read: (names) => (Array.isArray(names) ? names.join(',') : ''),
    write: listOf,
    Input: ({ text, onText }) => <ReachField reach={listOf(text)} onReach={(reach) => onText(reach.join(','))} />,
  },
  choice: { read: textOf, write: (text) => text, Input: Choice },
  switch: { read: (isOn) => (isOn === true ? 'on' : ''), write: (text) => text === 'on', Input: Switch },
  time: {
    read: (at) => (typeof at === 'number' ? toLocalTime(at) : ''),
    write: (text) => (text === '' ? null : fromLocalTime(text)),
    Input: Time,
  },
};

type Texts = Readonly<Record<string, string>>;

interface ResourceFormProps {
  /** Under which the draft is kept. */
  readonly draft: string;
  readonly texts: FormTexts;
  /** null: a new one. */
  readonly thing: Thing | null;
  /** Fields of this resource alone, behind the others, and what they add to the body. */
  readonly children?: ReactNode;
  readonly added?: object;
  readonly onSubmit: (body: object) => Promise<void>;
  readonly onClose: () => void;
}

export const ResourceForm = ({ draft, texts, thing, children, added, onSubmit, onClose }: ResourceFormProps) => {
  const { environment } = useSession();
  const fields = texts.fields.filter(({ isOfNew }) => thing === null || isOfNew !== true);
  const initial: Texts = Object.fromEntries(
    fields.map(({ name, as, initial: usual = as === 'reach' ? environment : '' }) => [
      name,
      thing === null ? usual : kinds[as].read(thing[name]),
    ]),
  );
  const [given, set, forget, isChanged] = useFormDraft<Texts>(`${draft}.${thing?.id ?? 'new'}`, initial);
  const textAt = (name: string): string => given[name] ?? '';
  // The usual role is filled in by itself.
  const isTyped =
    thing === null ? fields.some(({ name, as }) => kinds[as].isTyped === true && textAt(name) !== '') : isChanged;
  const [isRestored, setRestored] = useState(isTyped);
  const bodyOf = (): object => {
    const sent = fields.filter(({ name }) => thing === null || textAt(name) !== initial[name]);
    return { ...Object.fromEntries(sent.map(({ name, as }) => [name, kinds[as].write(textAt(name))])), ...added };
  };
  const submit = async (): Promise<void> => {
    const body = bodyOf();
    if (Object.keys(body).length === 0) onClose();
    else await onSubmit(body);
    forget();
  };
  const discard = (): void => {
    setRestored(false);
    forget();
  };
  const close = (): void => {
    // The draft of a new one outlives the dialog.
    if (thing !== null) forget();
    onClose();
  };
  const { change } = texts;
  const changed =
    thing === null || change === undefined
      ? null
      : { title: change.title(thing.name), about: change.about, deed: change.deed(thing.name) };
  const hasUnique = fields.some(({ isUnique }) => isUnique === true);
  return (
    <SubmitDialog
      title={changed?.title ?? texts.make}
      about={changed?.about ?? texts.newAbout}
      deed={changed?.deed ?? texts.newDeed}
      submit={submit}
      onClose={close}
    >
      {(taken) => (
        <>
          {isRestored && <RestoredNote onDiscard={discard} />}
          {fields.map((field, at) => {
            const { Input } = kinds[field.as];
            const isTaken = field.isUnique === true && taken !== null;
            return [
              <Input
                key={field.name}
                field={field}
                text={textAt(field.name)}
                isWrong={isTaken}
                isFirst={at === 0}
                onText={(text) => set({ [field.name]: text })}
              />,
              isTaken && <ProblemText key={`${field.name}-taken`} text={taken} />,
            ];
          })}
          {children}
          {!hasUnique && <ProblemText text={taken} />}
        </>
      )}
    </SubmitDialog>
  );
};
