/** The grants on one kind of things: a row for each thing, a column for each verb. Used by GrantMatrix. */
import { impliedBy, isGranted, kindNames, verbsOf, withVerb, type Granted, type Kind } from './grants.ts';

interface GrantTableProps {
  readonly kind: Kind;
  /** The things that can be granted, with their labels. */
  readonly rows: readonly { readonly on: string; readonly label: string }[];
  readonly granted: Granted;
  /** null: they can't be changed. */
  readonly onGranted: ((granted: Granted) => void) | null;
}

export const GrantTable = ({ kind, rows, granted, onGranted }: GrantTableProps) => {
  const verbs: readonly string[] = verbsOf[kind].length > 1 ? [...verbsOf[kind], '*'] : verbsOf[kind];
  return (
    <table aria-label={kindNames[kind]}>
      <thead>
        <tr>
          <th>{kindNames[kind]}</th>
          {verbs.map((verb) => (
            <th key={verb}>{verb === '*' ? 'everything' : verb}</th>
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
                <td key={verb} title={why ?? undefined}>
                  <input
                    type="checkbox"
                    aria-label={`${verb === '*' ? 'everything' : verb}: ${label}`}
                    checked={why !== null || isGranted(granted, on, verb)}
                    disabled={why !== null || onGranted === null}
                    onChange={({ target }) => onGranted?.(withVerb(granted, on, verb, target.checked))}
                  />
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
