/** How long a credential that is replaced works on, as a part of a form. Used by the settings of agents and app keys. */

const hourMs = 3_600_000;

const graces: readonly (readonly [number, string])[] = [
  [0, 'ends at once'],
  [hourMs, 'works for 1 hour more'],
  [24 * hourMs, 'works for 1 day more'],
  [7 * 24 * hourMs, 'works for 7 days more'],
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
