/** A moment as a relative time, with the exact one on hover; a deadline; and the present, by which all of them move together. Used by lists, timelines and approvals. */
import { useSyncExternalStore } from 'react';
import { ago, agoInWords, due, exactTime } from './time.ts';

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

export const Ago = ({ at, isInSentence = false }: AgoProps) => {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {isInSentence ? agoInWords(at, now) : ago(at, now)}
    </time>
  );
};

export const Due = ({ at }: { readonly at: number }) => {
  const now = useNow();
  const { text, tone } = due(at, now);
  return (
    <time className={`due ${tone}`} dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {text}
    </time>
  );
};
