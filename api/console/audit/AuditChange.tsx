/** The values of an audit entry before and after. Used by AuditRow and the ledger of agents. */
import { differences } from '../content/difference.ts';
import { useNames } from '../content/names.ts';
import { shown } from '../content/shown.ts';
import { toWords } from '../ui/words.ts';
import type { AuditEntry } from '../wire/types.ts';
import { withApproverName } from './approval.ts';
import { auditTexts } from './texts.tsx';

const texts = auditTexts.change;

/** The members before and after; of a first state all that there are. */
const changesOf = ({ before, after }: AuditEntry) => {
  const found = differences(before, before ?? {}, after ?? {});
  if (found.length > 0) return found;
  return Object.entries(before ?? after ?? {}).map(([name, value]: [string, unknown]) => ({
    name,
    now: before === null ? undefined : value,
    after: after === null ? undefined : value,
  }));
};

export const AuditChange = ({ entry }: { readonly entry: AuditEntry }) => {
  const names = useNames();
  const rows = changesOf(withApproverName(entry));
  /** Ids of people as their names, where one may know them. */
  const textOf = (value: unknown): string =>
    typeof value === 'string' && (value === names.me || names.people.some(({ id }) => id === value))
      ? names.of(value)
      : shown(value);
  return (
    <div className="audit-change">
      {rows.length > 0 && (
        <table aria-label={texts.title}>
          <thead>
            <tr>
              <th>{texts.member}</th>
              <th>{texts.before}</th>
              <th>{texts.after}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, now, after }) => (
              <tr key={name}>
                <th scope="row" title={name}>
                  {toWords(name)}
                </th>
                <td dir="auto">{textOf(now)}</td>
                <td dir="auto">{textOf(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="soft">
        <span className="mono">{entry.id}</span>
        {entry.requestId !== null && <> · {texts.request(<span className="mono">{entry.requestId}</span>)}</>}
        {entry.address !== null && ` · ${texts.from(entry.address)}`}
      </p>
    </div>
  );
};
