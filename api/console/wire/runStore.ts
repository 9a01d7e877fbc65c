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
  /** Runs of messages, oldest first. */
  arrivals(): Iterable<HeardRun>;
  /** How often listeners were told of arrivals: a copy of these would keep what is outdated. */
  told(): number;
}

/** Returns a run of a message with the blocks that only answers have. */
export const withBlocks = (heard: Run, known: Run): Run =>
  heard.attempt === known.attempt && heard.status === known.status ? { ...heard, blocks: known.blocks } : heard;

export const createRunStore = (): RunStore => {
  const recent = new Map<string, HeardRun>();
  const listeners = new Set<() => void>();
  let clock = 0;
  let told = 0;
  let due = false;
  return {
    hear: (run) => {
      clock += 1;
      recent.delete(run.id);
      recent.set(run.id, { at: clock, run });
      const [oldest] = recent.keys();
      if (recent.size > recentMost && oldest !== undefined) recent.delete(oldest);
      if (due) return;
      due = true;
      // Once a frame, however many messages come.
      requestAnimationFrame(() => {
        due = false;
        told += 1;
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
    arrivals: () => recent.values(),
    told: () => told,
  };
};

/** Returns a number that changes when messages have brought runs. */
export const useRunArrivals = (store: RunStore): number => useSyncExternalStore(store.subscribe, store.told);
