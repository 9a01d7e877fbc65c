/** The parts of forms: options, boxes to tick, suggestions, a new password, what is optional, what is wrong, and sending one. Used by every form. */
import { type ComponentProps, type ReactNode, useId, useState, type FormEvent } from 'react';
import { Button } from './Button.tsx';
import { uiTexts } from './texts.tsx';

/** Characters of a reason, as the API takes them. */
export const reasonMost = 2_000;

/** Returns how many characters a text is too long, counted as the API counts them. */
export const excessOf = (text: string, most: number): number =>
  // A character may be two units of the text's length, never less than one.
  text.length <= most ? 0 : Math.max(0, [...text].length - most);

interface TooLongProps {
  /** The text in words, as the beginning of a sentence. */
  readonly what: string;
  readonly text: string;
  readonly most: number;
}

/** A word on a text that is longer than the API takes: it is kept whole and has to be shortened. */
export const TooLong = ({ what, text, most }: TooLongProps) => {
  const excess = excessOf(text, most);
  if (excess === 0) return null;
  return (
    <p className="problem" role="status">
      {uiTexts.form.tooLong(what, excess, most)}
    </p>
  );
};

/** Marks a label as that of an optional control; hidden from screen readers, to which the control is not `required`. */
const Optional = () => (
  <span className="soft" aria-hidden>
    {uiTexts.form.optional}
  </span>
);

type Options = readonly (readonly [value: string | number, label: string])[];

interface SelectProps extends Omit<ComponentProps<'select'>, 'onChange' | 'value'> {
  readonly value: string;
  readonly options: Options | undefined;
  /** The label of the first option, whose value is empty; absent: there is none. */
  readonly any?: string;
  readonly onValue: (value: string) => void;
}

/** The options of a choice. */
export const Options = ({ of = [] }: { readonly of: Options | undefined }) =>
  of.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

/** A choice whose label is not on screen. */
export const Select = ({ options, any, onValue, ...select }: SelectProps) => (
  <select {...select} onChange={({ target }) => onValue(target.value)}>
    {any !== undefined && <option value="">{any}</option>}
    <Options of={options} />
  </select>
);

/** A choice with its label. */
export const Choice = ({ label, ...select }: SelectProps & { readonly label: string }) => (
  <label>
    {label}
    <Select {...select} />
  </label>
);

interface TextInputProps extends Omit<ComponentProps<'input'>, 'onChange' | 'value'> {
  readonly label: ReactNode;
  readonly value: string;
  /** Whether its label says that it may stay empty. */
  readonly isOptional?: boolean;
  readonly onValue: (value: string) => void;
}

/** The words of a label; of an optional control with a mark. */
export const Label = ({ words, isOptional }: { readonly words: ReactNode; readonly isOptional: boolean }) =>
  isOptional ? (
    <span>
      {words} <Optional />
    </span>
  ) : (
    words
  );

/** A text field with its label. */
export const TextInput = ({ label, isOptional = false, onValue, ...input }: TextInputProps) => (
  <label>
    <Label words={label} isOptional={isOptional} />
    <input autoComplete="off" {...input} onChange={({ target }) => onValue(target.value)} />
  </label>
);

/** The reason of what one does, which is optional unless it is required; a word when it is too long. */
export const ReasonInput = ({ required = false, ...input }: TextInputProps) => (
  <>
    <TextInput required={required} isOptional={!required} {...input} />
    <TooLong what={uiTexts.form.theReason} text={input.value} most={reasonMost} />
  </>
);

interface TickProps extends Omit<ComponentProps<'input'>, 'checked' | 'onChange'> {
  readonly label: ReactNode;
  /** Stands behind the label. */
  readonly about?: string | undefined;
  readonly isOn: boolean;
  readonly onTick: (isOn: boolean) => void;
}

/** A box to tick, or one of several choices, with its label. */
export const Tick = ({ label, about, isOn, onTick, className = 'choice', ...input }: TickProps) => (
  <label className={className}>
    <input type="checkbox" {...input} checked={isOn} onChange={({ target }) => onTick(target.checked)} />
    <span>
      {label}
      {about !== undefined && <span className="soft"> {about}</span>}
    </span>
  </label>
);

interface NewPasswordInputProps {
  readonly value: string;
  readonly required: boolean;
  readonly onValue: (value: string) => void;
}

/** The input of a new password, within the bounds of the API. */
export const NewPasswordInput = ({ value, required, onValue }: NewPasswordInputProps) => (
  <input
    type="password"
    required={required}
    minLength={8}
    maxLength={1_024}
    autoComplete="new-password"
    value={value}
    onChange={({ target }) => onValue(target.value)}
  />
);

interface SuggestedProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly options: readonly string[];
  /** Returns what stands beside an option. */
  readonly nameOf?: (option: string) => string | undefined;
}

/** A text field with its label and with suggestions. */
export const Suggested = ({ label, options, nameOf, ...input }: SuggestedProps) => {
  const id = useId();
  return (
    <label>
      {label}
      <input list={id} autoComplete="off" spellCheck={false} {...input} />
      <datalist id={id}>
        {options.map((option) => (
          <option key={option} value={option} label={nameOf?.(option)} />
        ))}
      </datalist>
    </label>
  );
};

/** `text` null: nothing is wrong. */
export const ProblemText = ({ text }: { readonly text: string | null }) =>
  text === null ? null : (
    <p className="problem" role="alert">
      {text}
    </p>
  );

/** A warning that is read out when it comes. */
export const Hint = ({ children }: { readonly children: ReactNode }) => (
  <p className="hint" role="status">
    {children}
  </p>
);

/** A line above a form that begins with what was typed before, with a button that discards it. */
export const RestoredNote = ({ onDiscard }: { readonly onDiscard: () => void }) => (
  <p className="soft" role="status">
    {uiTexts.form.restored}{' '}
    <Button tone="bare" onClick={onDiscard}>
      {uiTexts.form.discard}
    </Button>
  </p>
);

interface Submission {
  /** What the last one was refused with; null: it was not. */
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly submit: (event: FormEvent) => void;
}

/** Sends a form once at a time, and keeps why it was refused. */
export const useSubmit = (work: () => Promise<void>): Submission => {
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    await work().catch(setError);
    setBusy(false);
  };
  return {
    error,
    isBusy,
    submit: (event) => {
      event.preventDefault();
      void send();
    },
  };
};
