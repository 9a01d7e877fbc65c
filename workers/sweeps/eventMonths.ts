/** Makes the parts of `events` for the months to come, and lets the ids of events begin at the month's once it has come. */
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import type { Sweep } from './sweep.ts';

const prepareSql = statement('events.prepareMonths', 'select prepare_event_months()');

export const eventMonths: Sweep = {
  name: 'eventMonths',
  everyMs: 60_000,
  run: async ({ db }) => {
    await queryRow(db, prepareSql);
  },
};
