/** Indexes the texts of occurrences, notes and replies, and what an older release has left out (shared/items/indexTexts.ts). */
import { indexNextTexts } from '../../shared/items/indexTexts.ts';
import { readSettledEvent } from './settledEvent.ts';
import type { Sweep } from './sweep.ts';

export const indexTexts: Sweep = {
  name: 'indexTexts',
  // A text is found within a second.
  everyMs: 500,
  run: async ({ db, directory }) => {
    const settled = await readSettledEvent(db);
    if (settled === null) return;
    while (await indexNextTexts(db, directory.environments(), settled));
  },
};
