/** Bulks as rows, as JSON of responses, and as parts of live messages. Used by all of shared/bulk. */
import type { ActorRef, LivePart } from '../catalogue/events.ts';
import type { BulkStatus } from '../catalogue/states/bulks.ts';
import type { BulkOperationBody } from './schema.ts';

export interface BulkRow {
  readonly id: string;
  readonly status: BulkStatus;
  readonly operation: BulkOperationBody;
  readonly total: number;
  readonly actor_type: ActorRef['type'];
  readonly actor: string;
  readonly actor_name: string;
  readonly undo_of: string | null;
  readonly cancelled: boolean;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly changed: number;
  readonly unchanged: number;
  readonly failed: number;
  /** The number of chunks that have not ended. */
  readonly open: number;
}

export const bulkJson = (row: BulkRow): Record<string, unknown> & { readonly by: ActorRef } => ({
  id: row.id,
  status: row.status,
  operation: row.operation,
  total: row.total,
  done: row.changed + row.unchanged + row.failed,
  changed: row.changed,
  unchanged: row.unchanged,
  failed: row.failed,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  by: { type: row.actor_type, id: row.actor, name: row.actor_name },
});

export const bulkLivePart = (row: BulkRow): LivePart => ({ type: 'bulk', bulk: bulkJson(row) });

export const bulkResponseBody = (row: BulkRow): string => JSON.stringify({ bulk: bulkJson(row) });
