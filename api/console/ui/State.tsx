/**
 * Small pictures with a name, or none where it stands beside them: the kind of a state, and a person's initials. Each is one
 * element that CSS draws, as lists draw many of them in every frame.
 */
export type StateKind = 'open' | 'waiting' | 'closed';

export const StateGlyph = ({ kind, label }: { readonly kind: StateKind; readonly label: string }) => (
  <span
    className={`glyph ${kind}`}
    {...(label === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
  />
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
