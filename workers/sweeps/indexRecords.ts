/** Reindexes records after the declaration of their resource has changed (shared/records/reindex.ts). */
import { reindexRecords } from '../../shared/records/reindex.ts';
import type { Sweep } from './sweep.ts';

export const indexRecords: Sweep = {
  name: 'indexRecords',
  everyMs: 2_000,
  run: async ({ db, directory }) => {
    for (const environment of directory.environments()) await reindexRecords(db, environment);
  },
};
