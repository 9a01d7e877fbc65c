/** How long a credential that is replaced works on, as a part of a form. Used by the settings of agents and app keys. */
import { settingsTexts } from './texts.ts';

const texts = settingsTexts.grace;

const hourMs = 3_600_000;

/** Preselected: a token that ends at once stops what still works with it. */
export const usualGraceMs = 24 * hourMs;

const graces: readonly (readonly [number, string])[] = [
  [0, texts.none],
  [hourMs, texts.hour],
  [usualGraceMs, texts.day],
  [7 * 24 * hourMs, texts.week],
];

interface GraceFieldProps {
  readonly label: string;
  /** Milliseconds. */
  readonly grace: number;
  readonly onGrace: (grace: number) => void;
}

export const GraceField = ({ label, grace, onGrace }: GraceFieldProps) => (
  <label>
    {label}
    <select value={grace} autoFocus onChange={({ target }) => onGrace(Number(target.value))}>
      {graces.map(([ms, text]) => (
        <option key={ms} value={ms}>
          {text}
        </option>
      ))}
    </select>
  </label>
);
