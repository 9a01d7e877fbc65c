/** The text that stages the jobs of a bulk's chunks, when it is accepted, approved, or found without them. */
import { type InsertSource, type Sql, stagedJobInsert } from '../platform/journal/inserts.ts';

interface ChunkJobColumns {
  readonly env: Sql;
  readonly bulk: Sql;
  /** The chunk's number. */
  readonly chunk: Sql;
  readonly requestId: Sql;
  readonly at: Sql;
  readonly traceparent?: Sql;
}

/** Each row of the source has the id of a job in `job`. */
export const chunkJobInsert = (
  { env, bulk, chunk, requestId, at, traceparent = 'null' }: ChunkJobColumns,
  source: InsertSource,
): string =>
  stagedJobInsert(
    {
      id: 'job',
      env,
      name: "'bulkChunk'",
      payload: `jsonb_build_object('bulk', ${bulk}, 'chunk', ${chunk})`,
      subject: bulk,
      request_id: requestId,
      due_at: at,
      created_at: at,
      traceparent,
    },
    source,
  );
