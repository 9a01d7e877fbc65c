/** Which of the waiting loosenings the keys decide, and from when on any of them can be decided. Used by LooseningsSection. */
import { useEffect, useState } from 'react';
import { neighbour } from '../ui/choose.ts';
import type { Loosening } from '../wire/types.ts';

/** Milliseconds for which the list stands unchanged before anything of it is decided: the second half of a double tap or a double click is not meant for what stands in the place of a decided line. */
const settleMs = 600;

interface Target {
  /** What the keys decide; null: nothing is chosen, or what was chosen waits no longer. */
  readonly current: Loosening | null;
  readonly isSettled: boolean;
  choose(id: string): void;
  /** Chooses the one above (-1) or below (1); the first one where nothing is chosen. */
  step(by: 1 | -1): void;
  /** Chooses the one below a decided one, or above it where it is the last. */
  moveOn(decided: string): void;
}

export const useTarget = (waiting: readonly Loosening[] | undefined): Target => {
  const [isOpened, setOpened] = useState(false);
  const [chosen, choose] = useState<string | null>(null);
  const [decided, setDecided] = useState<string | null>(null);
  const [settled, setSettled] = useState('');
  // Once only: what arrives later is nobody's target until somebody chooses it.
  if (!isOpened && waiting !== undefined) {
    setOpened(true);
    choose(waiting[0]?.id ?? null);
  }
  const list = waiting ?? [];
  const at = list.findIndex(({ id }) => id === chosen);
  const state = JSON.stringify([decided, list.map(({ id }) => id)]);
  useEffect(() => {
    const timer = window.setTimeout(setSettled, settleMs, state);
    return () => window.clearTimeout(timer);
  }, [state]);
  return {
    current: list[at] ?? null,
    isSettled: settled === state,
    choose,
    step: (by) => choose(neighbour(list, at, by)?.id ?? null),
    moveOn: (id) => {
      const place = list.findIndex((each) => each.id === id);
      setDecided(id);
      choose((list[place + 1] ?? list[place - 1])?.id ?? null);
    },
  };
};
