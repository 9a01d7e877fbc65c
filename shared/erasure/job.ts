/** The insert of the job of an erasure: composed by the statement that inserts the erasure, and by the one for erasures without a job. */
import { type InsertSource, type Sql, stagedJobInsert } from '../platform/journal/inserts.ts';

/** Returns the text of the insert of a job for each row of the source, which has the erasure as `e`. `at`: when it is due. */
export const erasureJobInsert = ({ id, at }: { readonly id: Sql; readonly at: Sql }, source: InsertSource): string =>
  stagedJobInsert(
    {
      id,
      env: 'e.env',
      name: "'erase'",
      payload: "jsonb_build_object('erasure', e.id)",
      subject: 'e.id',
      request_id: 'e.request_id',
      due_at: at,
      created_at: at,
    },
    source,
  );
