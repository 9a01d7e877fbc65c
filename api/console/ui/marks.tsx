/**
 * Small marks with a name, or none where it stands beside them: the kind of a state, a person's initials, a moment as a relative
 * time with the exact one on hover, and a deadline. The first two are one element each that CSS draws, as lists draw many of them
 * in every frame. Used by lists, timelines and approvals.
 */
import { useSyncExternalStore, type ReactNode } from 'react';
import { ago, agoInWords, due, exactTime } from './time.ts';

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

/** Words of others, softly, beside what they are about. */
export const Aside = ({ children }: { readonly children: ReactNode }) => (
  <span className="soft" dir="auto">
    {children}
  </span>
);

const everyMs = 30_000;
let present = Date.now();
const listeners = new Set<() => void>();
let timer = 0;

const subscribe = (listener: () => void): (() => void) => {
  if (listeners.size === 0) {
    present = Date.now();
    timer = window.setInterval(() => {
      present = Date.now();
      for (const each of listeners) each();
    }, everyMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
};

/** The present, for relative times: all of them move together, every half minute. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => present);

interface AgoProps {
  readonly at: number;
  /** Whether it stands within a sentence; else it is as short as columns and rows want it. */
  readonly isInSentence?: boolean;
}

/** A moment as a relative time, with the exact one on hover. */
export const Ago = ({ at, isInSentence = false }: AgoProps) => {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {isInSentence ? agoInWords(at, now) : ago(at, now)}
    </time>
  );
};

/** A deadline, by how far away it is. */
export const Due = ({ at }: { readonly at: number }) => {
  const now = useNow();
  const { text, tone } = due(at, now);
  return (
    <time className={`due ${tone}`} dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {text}
    </time>
  );
};
