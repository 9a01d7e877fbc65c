/** Indexes texts that an older release has written, before this one or beside it (shared/items/indexTexts.ts). */
import { indexNextTexts } from '../../shared/items/indexTexts.ts';
import { readSettledEvent } from './settledEvent.ts';
import type { Sweep } from './sweep.ts';

export const indexTexts: Sweep = {
  name: 'indexTexts',
  everyMs: 2_000,
  run: async ({ db, directory }) => {
    const settled = await readSettledEvent(db);
    if (settled === null) return;
    while (await indexNextTexts(db, directory.environments(), settled));
  },
};
