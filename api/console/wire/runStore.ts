/** What the live stream said of runs since the page was opened: answers under way may bring an older state. Used by the session and the queries of runs. */
import { useSyncExternalStore } from 'react';
import type { Run } from './types.ts';

/** Number of runs that are remembered. */
const recentMost = 500;

interface HeardRun {
  /** Counts up with every message. */
  readonly at: number;
  readonly run: Run;
}

export interface RunStore {
  hear(run: Run): void;
  /** The number of the last message. */
  now(): number;
  /** Returns the run as a later message than `since` has it, else as it was given. */
  newest(run: Run, since: number): Run;
  subscribe(listener: () => void): () => void;
  /** Runs of messages, oldest first; a new array after each. */
  arrivals(): readonly HeardRun[];
}

/** Returns a run of a message with the blocks that only answers have. */
export const withBlocks = (heard: Run, known: Run): Run =>
  heard.attempt === known.attempt && heard.status === known.status ? { ...heard, blocks: known.blocks } : heard;

export const createRunStore = (): RunStore => {
  const recent = new Map<string, HeardRun>();
  const listeners = new Set<() => void>();
  let clock = 0;
  let arrived: readonly HeardRun[] | null = [];
  let due = false;
  return {
    hear: (run) => {
      clock += 1;
      recent.delete(run.id);
      recent.set(run.id, { at: clock, run });
      const [oldest] = recent.keys();
      if (recent.size > recentMost && oldest !== undefined) recent.delete(oldest);
      arrived = null;
      if (due) return;
      due = true;
      // Once a frame, however many messages come.
      requestAnimationFrame(() => {
        due = false;
        for (const listener of listeners) listener();
      });
    },
    now: () => clock,
    newest: (run, since) => {
      const heard = recent.get(run.id);
      return heard !== undefined && heard.at > since ? withBlocks(heard.run, run) : run;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    arrivals: () => (arrived ??= [...recent.values()]),
  };
};

/** Returns the runs that messages brought. */
export const useRunArrivals = (store: RunStore): readonly HeardRun[] =>
  useSyncExternalStore(store.subscribe, store.arrivals);
