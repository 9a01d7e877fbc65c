/** Small pictures with a name, or none where it stands beside them: the kind of a state, and a person's initials. */
export type StateKind = 'open' | 'waiting' | 'closed';

export const StateGlyph = ({ kind, label }: { readonly kind: StateKind; readonly label: string }) => (
  <svg
    className={`glyph ${kind}`}
    viewBox="0 0 14 14"
    {...(label === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
  >
    <circle cx="7" cy="7" r="5.5" />
    {kind === 'waiting' && <path d="M7 3.6a3.4 3.4 0 0 1 0 6.8z" />}
    {kind === 'closed' && <path d="M4.4 7.2l1.9 1.9 3.4-3.9" />}
  </svg>
);

const initialsOf = (name: string): string =>
  name
    .split(/\s+/u)
    .map((part) => [...part][0] ?? '')
    .filter((_, at, all) => at === 0 || at === all.length - 1)
    .join('')
    .toUpperCase();

export const Initials = ({ name, isNamed = false }: { readonly name: string; readonly isNamed?: boolean }) => (
  <span
    className="initials"
    title={name}
    {...(isNamed ? { 'aria-hidden': true } : { role: 'img', 'aria-label': name })}
  >
    {initialsOf(name)}
  </span>
);
