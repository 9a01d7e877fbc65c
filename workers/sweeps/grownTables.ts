/** Has tables analyzed that have doubled since they were: a first push of records fills empty ones, whose plans would read them whole. */
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import type { Sweep } from './sweep.ts';

const analyzeGrownSql = statement('tables.analyzeGrown', 'select analyze_grown_tables()');

export const grownTables: Sweep = {
  name: 'grownTables',
  everyMs: 2_000,
  run: async ({ db }) => {
    await queryRow(db, analyzeGrownSql);
  },
};
