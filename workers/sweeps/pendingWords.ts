/** Empties the lists of entries that the indexes of words and terms still have to take in, so that searches don't read long ones. */
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import type { Sweep } from './sweep.ts';

const indexPendingSql = statement('words.indexPending', 'select index_pending_words()');

export const pendingWords: Sweep = {
  name: 'pendingWords',
  // Changes at 1,000/s make a list of 30 pages meanwhile.
  everyMs: 500,
  run: async ({ db }) => {
    await queryRow(db, indexPendingSql);
  },
};
