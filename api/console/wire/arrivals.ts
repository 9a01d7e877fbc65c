/** Keeps the newest state of each thing that live messages brought since the page was opened: answers under way may bring an older state. Used by the stores of items and of runs. */
import { useSyncExternalStore } from 'react';
import { createListeners } from './listeners.ts';

interface Arrival<T> {
  /** Counts up with every message. */
  readonly at: number;
  readonly value: T;
}

export interface Arrivals<T> {
  hear(value: T): void;
  of(id: string): Arrival<T> | undefined;
  /** Oldest first. */
  all(): Iterable<Arrival<T>>;
  /** The number of the last message. */
  now(): number;
  subscribe(listener: () => void): () => void;
  /** How often listeners were told: a copy of what came would keep what is outdated. */
  told(): number;
}

/** `most`: so many things are remembered. */
export const createArrivals = <T extends { readonly id: string }>(most: number): Arrivals<T> => {
  const recent = new Map<string, Arrival<T>>();
  const listeners = createListeners();
  let clock = 0;
  let told = 0;
  let due = false;
  return {
    hear: (value) => {
      clock += 1;
      recent.delete(value.id);
      recent.set(value.id, { at: clock, value });
      const [oldest] = recent.keys();
      if (recent.size > most && oldest !== undefined) recent.delete(oldest);
      if (due) return;
      due = true;
      // Once a frame, however many messages come.
      requestAnimationFrame(() => {
        due = false;
        told += 1;
        listeners.tell();
      });
    },
    of: (id) => recent.get(id),
    all: () => recent.values(),
    now: () => clock,
    subscribe: listeners.subscribe,
    told: () => told,
  };
};

/** Returns a number that changes when messages have brought something. */
export const useArrivals = (arrivals: Pick<Arrivals<never>, 'subscribe' | 'told'>): number =>
  useSyncExternalStore(arrivals.subscribe, arrivals.told);
