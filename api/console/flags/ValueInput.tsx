/** Input of a flag's value, by its kind. Used by the editors of flags. */
import type { Flag } from '../wire/types.ts';
import { wordTexts } from './wordTexts.ts';

interface ValueInputProps {
  readonly kind: Flag['kind'];
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

export const ValueInput = ({ kind, label, text, onText }: ValueInputProps) => (
  <label>
    {label}
    {kind === 'boolean' ? (
      <select value={text} onChange={({ target }) => onText(target.value)}>
        <option value="true">{wordTexts.on}</option>
        <option value="false">{wordTexts.off}</option>
      </select>
    ) : kind === 'json' ? (
      <textarea rows={4} spellCheck={false} value={text} onChange={({ target }) => onText(target.value)} />
    ) : (
      <input
        inputMode={kind === 'number' ? 'decimal' : 'text'}
        value={text}
        autoComplete="off"
        onChange={({ target }) => onText(target.value)}
      />
    )}
  </label>
);
