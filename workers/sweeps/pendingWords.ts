/** Empties the list of entries that the index of item_words still has to take in, so that searches don't read a long one. */
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import type { Sweep } from './sweep.ts';

const indexPendingSql = statement('words.indexPending', 'select index_pending_words()');

export const pendingWords: Sweep = {
  name: 'pendingWords',
  everyMs: 1_000,
  run: async ({ db }) => {
    await queryRow(db, indexPendingSql);
  },
};
