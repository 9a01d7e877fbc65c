/** A preview of the role: the inboxes, records, actions, pages and flags of this environment that its grants cover. Used by RolePage. */
import { useSession } from '../shell/session.ts';
import { inRow } from '../ui/plural.ts';
import { type GrantMatrixProps } from './GrantMatrix.tsx';
import { holds, namedKinds, verbsOf, type Granted, type NamedKind } from './grants.ts';
import { roleTexts } from './texts.ts';

type RolePreviewProps = Pick<GrantMatrixProps, 'granted' | 'declared'>;

/** Returns the verbs that hold on a thing. */
const verbsOn = (granted: Granted, kind: NamedKind, name: string): readonly string[] =>
  verbsOf[kind].filter((verb) => holds(granted, `${kind}:${name}`, verb));

/** Returns a thing with the verbs that hold on it, where there are several that could. */
const seenText = (
  kind: NamedKind,
  { label, verbs, isAll }: { readonly label: string; readonly verbs: readonly string[]; readonly isAll: boolean },
) => {
  if (verbsOf[kind].length === 1) return label;
  return isAll ? roleTexts.preview.withEverything(label) : roleTexts.preview.withVerbs(label, verbs);
};

const Kind = ({ kind, granted, declared }: RolePreviewProps & { readonly kind: NamedKind }) => {
  const known = declared[kind].map((each) => ({
    ...each,
    verbs: verbsOn(granted, kind, each.name),
    // Ticking each verb is not the same: it leaves out those that come later.
    isAll: holds(granted, `${kind}:${each.name}`, '*'),
  }));
  const seen = known.filter(({ verbs }) => verbs.length > 0);
  const unseen = known.filter(({ verbs }) => verbs.length === 0);
  const blind = seen.filter(({ resource }) => resource !== null && !holds(granted, `resource:${resource}`, 'see'));
  return (
    <div>
      <dt>{roleTexts.grants.kind[kind]}</dt>
      <dd dir="auto">
        {seen.length === 0 ? roleTexts.preview.nothing : inRow(seen.map((each) => seenText(kind, each)))}
        {unseen.length > 0 && (
          <span className="soft"> · {roleTexts.preview.not(unseen.map(({ label }) => label))}</span>
        )}
        {blind.length > 0 && (
          <span className="hint">
            {' '}
            · {blind.map(({ label, resource }) => roleTexts.preview.blind(label, resource ?? '')).join('; ')}
          </span>
        )}
      </dd>
    </div>
  );
};

const unnamed: readonly (readonly [string, string, string])[] = [
  ['approvals', 'see', roleTexts.preview.approvals],
  ['approvals', 'decide', roleTexts.preview.decides],
  ['audit', 'see', roleTexts.preview.audit],
  ['settings', 'manage', roleTexts.preview.settings],
];

export const RolePreview = ({ granted, declared }: RolePreviewProps) => {
  const { environment } = useSession();
  const also = unnamed.flatMap(([on, verb, words]) => (holds(granted, on, verb) ? [words] : []));
  return (
    <section className="waiting role-preview" tabIndex={0} aria-label={roleTexts.preview.title}>
      <h2>{roleTexts.preview.heading(environment)}</h2>
      <dl className="preview">
        {namedKinds.map((kind) => (
          <Kind key={kind} kind={kind} granted={granted} declared={declared} />
        ))}
        <div>
          <dt>{roleTexts.preview.also}</dt>
          <dd>{also.length === 0 ? roleTexts.preview.nothing : inRow(also)}</dd>
        </div>
      </dl>
      <p className="soft">{roleTexts.preview.about}</p>
    </section>
  );
};
