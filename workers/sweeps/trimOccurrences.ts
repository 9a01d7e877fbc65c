/** Deletes the occurrences of items beyond those that their inbox keeps; lists leave them out before. */
import { readOverflowingItems, trimItem } from '../../shared/items/trimOccurrences.ts';
import type { Sweep } from './sweep.ts';

export const trimOccurrences: Sweep = {
  name: 'trimOccurrences',
  everyMs: 2_000,
  run: async ({ db, directory }) => {
    for (const overflowing of await readOverflowingItems(db)) {
      const env = directory.environmentById(overflowing.env);
      // An environment that is newer than this process's directory.
      if (env === undefined) continue;
      await trimItem(db, overflowing, env.definition.inboxes.get(overflowing.inbox)?.onOccurrence.keep ?? null);
    }
  },
};
