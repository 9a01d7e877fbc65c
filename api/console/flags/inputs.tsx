/** The inputs of a flag’s value and of its rollout, and how what is typed is read. Used by the editors of flags. */
import { TextInput } from '../ui/fields.tsx';
import { parsed } from '../wire/json.ts';
import type { Flag } from '../wire/types.ts';
import { flagTexts } from './texts.tsx';
import { wordTexts } from './wordTexts.ts';

interface RolloutInputProps {
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** The input of a rollout; empty: there is none. */
export const RolloutInput = ({ label, text, onText }: RolloutInputProps) => (
  <TextInput label={label} inputMode="decimal" value={text} placeholder={flagTexts.form.noRollout} onValue={onText} />
);

/** Returns a value as the text of its input. */
export const toInput = (kind: Flag['kind'], value: unknown): string =>
  kind === 'string' && typeof value === 'string'
    ? value
    : kind === 'json'
      ? JSON.stringify(value, null, 2)
      : String(value);

/** Returns the value of a text; undefined: it is none of this kind. */
export const fromInput = (kind: Flag['kind'], text: string): unknown => {
  if (kind === 'string') return text;
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (kind === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
  return parsed(text);
};

/** Returns the scalar that a condition compares with: numbers, true, false and null as such, anything else as text. */
export const scalarOf = (text: string): unknown => {
  const trimmed = text.trim();
  const value = parsed(trimmed);
  return value === undefined || (typeof value === 'object' && value !== null) ? trimmed : value;
};

/** Returns the text that `scalarOf` reads as this value. */
export const scalarText = (value: unknown): string =>
  typeof value === 'string' && scalarOf(value) === value ? value : JSON.stringify(value ?? null);

/** Returns the rollout of a text, null for an empty one; undefined: it is none. */
export const rolloutOf = (text: string): number | null | undefined =>
  text.trim() === '' ? null : (percentOf(text) ?? undefined);

/** Returns a percentage of a text; null: it is none. */
export const percentOf = (text: string): number | null => {
  const value = Number(text);
  return text.trim() !== '' && value >= 0 && value <= 100 ? value : null;
};

interface ValueInputProps extends RolloutInputProps {
  readonly kind: Flag['kind'];
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
