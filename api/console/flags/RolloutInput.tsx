/** The input of a rollout; empty: there is none. Used by the editors of flags and their rules. */
import { flagTexts } from './texts.tsx';

interface RolloutInputProps {
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

export const RolloutInput = ({ label, text, onText }: RolloutInputProps) => (
  <label>
    {label}
    <input
      inputMode="decimal"
      value={text}
      placeholder={flagTexts.form.noRollout}
      autoComplete="off"
      onChange={({ target }) => onText(target.value)}
    />
  </label>
);
