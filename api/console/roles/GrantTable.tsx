/** The grants on one kind of things: a row for each thing, a column for each verb. Used by GrantMatrix. */
import { impliedBy, isGranted, verbsOf, withVerb, type Granted, type Kind } from './grants.ts';
import { grantTexts } from './grantTexts.ts';

interface GrantTableProps {
  readonly kind: Kind;
  /** The things that can be granted, with their labels. */
  readonly rows: readonly { readonly on: string; readonly label: string }[];
  readonly granted: Granted;
  /** null: they can't be changed. */
  readonly onGranted: ((granted: Granted) => void) | null;
}

/** Returns a verb of the API, or the word for all of them. */
const verbText = (verb: string): string => (verb === '*' ? grantTexts.everything : verb);

export const GrantTable = ({ kind, rows, granted, onGranted }: GrantTableProps) => {
  const verbs: readonly string[] = verbsOf[kind].length > 1 ? [...verbsOf[kind], '*'] : verbsOf[kind];
  return (
    <table aria-label={grantTexts.kind[kind]}>
      <thead>
        <tr>
          <th>{grantTexts.kind[kind]}</th>
          {verbs.map((verb) => (
            <th key={verb}>{verbText(verb)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ on, label }) => (
          <tr key={on}>
            <th scope="row" dir="auto">
              {label}
            </th>
            {verbs.map((verb) => {
              const why = impliedBy(granted, on, verb);
              return (
                <td key={verb} title={why === null ? undefined : grantTexts.implied[why]}>
                  <label>
                    <input
                      type="checkbox"
                      aria-label={grantTexts.grant(verbText(verb), label)}
                      checked={why !== null || isGranted(granted, on, verb)}
                      disabled={why !== null || onGranted === null}
                      onChange={({ target }) => onGranted?.(withVerb(granted, on, verb, target.checked))}
                    />
                  </label>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
