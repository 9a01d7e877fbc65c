/** Makes the parts of the months to come, of each table that is made of months, and lets the ids of events begin at the month's once it has come. */
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import type { Sweep } from './sweep.ts';

const eventsSql = statement('events.prepareMonths', 'select prepare_event_months() as made');
const bulksSql = statement('bulk.prepareMonths', 'select prepare_bulk_months()');

export const months: Sweep = {
  name: 'months',
  everyMs: 60_000,
  run: async ({ db }) => {
    // The ids begin at a month whose part is there; where it was made now, the second call finds it committed.
    const prepared = await queryRow<{ made: number }>(db, eventsSql);
    if ((prepared?.made ?? 0) > 0) await queryRow(db, eventsSql);
    await queryRow(db, bulksSql);
  },
};
