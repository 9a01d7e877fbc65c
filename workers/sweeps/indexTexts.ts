/** Indexes the texts of occurrences, notes and replies, and what an older release has left out (shared/items/indexTexts.ts). */
import { indexNewestTexts, indexNextTexts, readIndexProgress } from '../../shared/items/indexTexts.ts';
import { readSettledEvent } from './settledEvent.ts';
import type { Sweep } from './sweep.ts';

export const indexTexts: Sweep = {
  name: 'indexTexts',
  // A text is found within a second.
  everyMs: 500,
  run: async ({ db, directory }) => {
    const progress = await readIndexProgress(db);
    if (progress.until >= progress.last) return;
    await indexNewestTexts(db, directory.environments(), progress);
    const settled = await readSettledEvent(db);
    if (settled === null) return;
    while (await indexNextTexts(db, directory.environments(), settled));
  },
};
