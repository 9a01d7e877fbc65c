/** The confirmation that a dangerous action wants: a tick for low danger, a typed word for high danger. Used by the action sheet and by running again. */
import { Tick } from '../ui/fields.tsx';
import { actionTexts } from './texts.tsx';

const texts = actionTexts.confirmation;

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

/** Returns a sentence, and behind it whether what is done can be undone, where that is known. */
const withEnd = (text: string, reversible: boolean | null): string =>
  reversible === null ? text : `${text} ${reversible ? texts.canBeUndone : texts.canNotBeUndone}`;

export const Confirmation = ({ danger, reversible, word, value, onChange }: ConfirmationProps) => {
  if (danger === null) return null;
  if (danger === 'low')
    return (
      <Tick
        className="choice danger"
        label={withEnd(texts.checked, reversible)}
        isOn={value === ticked}
        onTick={(isOn) => onChange(isOn ? ticked : '')}
      />
    );
  return (
    <label className="danger">
      <span>
        {withEnd(texts.highDanger, reversible)} {texts.typeToGoOn(<strong className="mono">{word}</strong>)}
      </span>
      <input
        aria-label={texts.typeToGoOnName(word)}
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
};
