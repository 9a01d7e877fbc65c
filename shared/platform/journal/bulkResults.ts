/** The insert into `bulk_results`: composed by each statement that settles items of a bulk. */
import { insertText, type InsertSource, type Sql } from './insertText.ts';

const requiredColumns = ['bulk', 'seq', 'item', 'outcome', 'error', 'code'] as const;
const otherColumns = ['before', 'after'] as const;

/** `before` and `after` are those of the audit log: by them an undo takes the change back. */
type BulkResultColumns = Readonly<
  Record<(typeof requiredColumns)[number], Sql> & Partial<Record<(typeof otherColumns)[number], Sql>>
>;

/** Returns the text of the insert of one result for each row of the source. */
export const bulkResultInsert = (values: BulkResultColumns, source: InsertSource): string =>
  insertText('insert into bulk_results', [...requiredColumns, ...otherColumns], values, source);
