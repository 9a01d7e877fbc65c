/**
 * Small pictures with a name, or none where it stands beside them: the kind of a state, and a person's initials. Each is one
 * element that CSS draws, as lists draw many of them in every frame.
 */
export type StateKind = 'open' | 'waiting' | 'closed';

interface StateGlyphProps {
  readonly kind: StateKind;
  readonly label: string;
  readonly className?: string;
}

export const StateGlyph = ({ kind, label, className = '' }: StateGlyphProps) => (
  <span
    className={`glyph ${kind} ${className}`}
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

interface InitialsProps {
  readonly name: string;
  readonly isNamed?: boolean;
  /** Whether `name` only stands in the place of one; a picture of a person is shown then. */
  readonly isUnknown?: boolean;
  readonly className?: string;
}

export const Initials = ({ name, isNamed = false, isUnknown = false, className = '' }: InitialsProps) => (
  <span
    className={`initials ${isUnknown ? 'unknown' : ''} ${className}`}
    title={name}
    {...(isNamed ? { 'aria-hidden': true } : { role: 'img', 'aria-label': name })}
  >
    {isUnknown ? '' : initialsOf(name)}
  </span>
);
