/** Entries of timelines that live messages bring: added to items that are read, and to those that are being read meanwhile. Used by the session and the query of an item. */
import type { QueryClient } from '@tanstack/react-query';
import { keys, type ReadItem } from './queries.ts';
import type { Entry } from './types.ts';

/** After so many new entries an item is read again, without the oldest: one that is left open would grow without end. */
const heardMost = 200;

export interface Timelines {
  /** Takes over a live message. */
  hear(item: string, entry: Entry): void;
  /**
   * Returns what `read` resolves with, and the entries that came meanwhile, as heard since. Reads twice where so many came that
   * the first answer is old at once.
   */
  whileReading(item: string, read: () => Promise<Omit<ReadItem, 'heard'>>): Promise<ReadItem>;
}

/** Returns the timeline with an entry that is new, or newer than the one of the same id; newest first. */
const withEntry = (timeline: readonly Entry[], entry: Entry): readonly Entry[] =>
  timeline.some(({ id }) => id === entry.id)
    ? timeline.map((each) => (each.id === entry.id ? entry : each))
    : [entry, ...timeline];

export const createTimelines = (queries: QueryClient): Timelines => {
  const reading = new Map<string, Set<Entry[]>>();
  return {
    hear: (item, entry) => {
      void queries.invalidateQueries({ queryKey: keys.recent(item) });
      for (const came of reading.get(item) ?? []) came.push(entry);
      const queryKey = keys.item(item);
      const known = queries.getQueryData<ReadItem>(queryKey);
      if (known === undefined) return;
      const timeline = withEntry(known.timeline, entry);
      const heard = known.heard + timeline.length - known.timeline.length;
      queries.setQueryData<ReadItem>(queryKey, { ...known, timeline, heard });
      // Once, however many come until it is read.
      if (heard >= heardMost && queries.getQueryState(queryKey)?.fetchStatus === 'idle')
        void queries.invalidateQueries({ queryKey });
    },
    whileReading: async (item, read) => {
      const came: Entry[] = [];
      const others = reading.get(item) ?? new Set();
      reading.set(item, others.add(came));
      try {
        let answer = await read();
        if (came.length >= heardMost) {
          came.length = 0;
          answer = await read();
        }
        return { ...answer, timeline: came.reduce(withEntry, answer.timeline), heard: came.length };
      } finally {
        others.delete(came);
        if (others.size === 0 && reading.get(item) === others) reading.delete(item);
      }
    },
  };
};
