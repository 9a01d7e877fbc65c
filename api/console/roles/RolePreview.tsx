/** A preview of the role: the inboxes, records, actions, pages and flags of this environment that its grants cover. Used by RolePage. */
import { useSession } from '../shell/session.ts';
import { holds, kindNames, namedKinds, verbsOf, type Granted, type NamedKind } from './grants.ts';
import type { Declared } from './useDeclared.ts';

interface RolePreviewProps {
  readonly granted: Granted;
  readonly declared: Readonly<Record<NamedKind, readonly Declared[]>>;
}

/** Returns the verbs that hold on a thing. */
const verbsOn = (granted: Granted, kind: NamedKind, name: string): readonly string[] =>
  verbsOf[kind].filter((verb) => holds(granted, `${kind}:${name}`, verb));

const verbText = (kind: NamedKind, verbs: readonly string[]): string => {
  if (verbsOf[kind].length === 1) return '';
  return verbs.length === verbsOf[kind].length ? ' (everything)' : ` (${verbs.join(', ')})`;
};

const Kind = ({ kind, granted, declared }: RolePreviewProps & { readonly kind: NamedKind }) => {
  const known = declared[kind].map((each) => ({ ...each, verbs: verbsOn(granted, kind, each.name) }));
  const seen = known.filter(({ verbs }) => verbs.length > 0);
  const unseen = known.filter(({ verbs }) => verbs.length === 0);
  const blind = seen.filter(({ resource }) => resource !== null && !holds(granted, `resource:${resource}`, 'see'));
  return (
    <div>
      <dt>{kindNames[kind]}</dt>
      <dd dir="auto">
        {seen.length === 0 ? 'nothing' : seen.map(({ label, verbs }) => `${label}${verbText(kind, verbs)}`).join(', ')}
        {unseen.length > 0 && <span className="soft"> · not {unseen.map(({ label }) => label).join(', ')}</span>}
        {blind.length > 0 && (
          <span className="hint">
            {' '}
            ·{' '}
            {blind.map(({ label, resource }) => `${label} acts on ${resource ?? ''}, which it does not see`).join('; ')}
          </span>
        )}
      </dd>
    </div>
  );
};

const unnamed: readonly (readonly [string, string, string])[] = [
  ['approvals', 'see', 'sees approvals'],
  ['approvals', 'decide', 'decides them'],
  ['audit', 'see', 'sees the audit log'],
  ['settings', 'manage', 'manages settings, and so can give itself every right'],
];

export const RolePreview = ({ granted, declared }: RolePreviewProps) => {
  const { environment } = useSession();
  const also = unnamed.flatMap(([on, verb, words]) => (holds(granted, on, verb) ? [words] : []));
  return (
    <section className="waiting" aria-label="Preview">
      <h2>What it sees in {environment}</h2>
      <dl className="preview">
        {namedKinds.map((kind) => (
          <Kind key={kind} kind={kind} granted={granted} declared={declared} />
        ))}
        <div>
          <dt>Also</dt>
          <dd>{also.length === 0 ? 'nothing' : also.join(', ')}</dd>
        </div>
      </dl>
      <p className="soft">
        Of what you see yourself. Agents neither decide nor manage settings, whatever their role grants.
      </p>
    </section>
  );
};
