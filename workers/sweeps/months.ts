/** Makes the parts of the months to come, of each table that is made of months, and lets the ids of events begin at the month's once it has come. */
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import type { Sweep } from './sweep.ts';

const prepareSql = [
  statement('events.prepareMonths', 'select prepare_event_months()'),
  statement('bulk.prepareMonths', 'select prepare_bulk_months()'),
];

export const months: Sweep = {
  name: 'months',
  everyMs: 60_000,
  run: async ({ db }) => {
    for (const sql of prepareSql) await queryRow(db, sql);
  },
};
