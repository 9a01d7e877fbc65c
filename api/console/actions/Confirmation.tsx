/** The confirmation that a dangerous action wants: a tick for low danger, a typed word for high danger. Used by the action sheet and by running again. */

type Danger = 'low' | 'high' | null;

interface ConfirmationProps {
  readonly danger: Danger;
  readonly reversible: boolean | null;
  /** The text that has to be typed. */
  readonly word: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const ticked = 'yes';

/** Returns whether `value` confirms. */
export const isConfirmed = (danger: Danger, word: string, value: string): boolean =>
  danger === null || (danger === 'low' ? value === ticked : value.trim() === word);

/** Longer ids are nothing to type. */
const wordLengthMost = 40;

/** Returns what has to be typed: the record that is meant, or the action. */
export const confirmationWord = (record: string | null, label: string): string =>
  record !== null && record.length <= wordLengthMost ? record : label;

const end = (reversible: boolean | null): string =>
  reversible === null ? '' : reversible ? ' It can be undone afterwards.' : ' It can’t be undone.';

export const Confirmation = ({ danger, reversible, word, value, onChange }: ConfirmationProps) => {
  if (danger === null) return null;
  if (danger === 'low')
    return (
      <label className="choice danger">
        <input
          type="checkbox"
          checked={value === ticked}
          onChange={({ target }) => onChange(target.checked ? ticked : '')}
        />
        <span>I have checked that this is right.{end(reversible)}</span>
      </label>
    );
  return (
    <label className="danger">
      <span>
        High danger.{end(reversible)} Type <strong className="mono">{word}</strong> to go on.
      </span>
      <input
        aria-label={`Type ${word} to go on`}
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
};
