/** Bulks as rows, as JSON of responses, and as parts of live messages. Used by all of shared/bulk. */
import type { Access } from '../access/access.ts';
import type { ActorRef, LivePart } from '../catalogue/events.ts';
import type { BulkStatus } from '../catalogue/states/bulks.ts';
import { redactLinked } from '../items/links.ts';
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
  /** Since when its results are not kept any more; null: they are here. */
  readonly results_gone_at: number | null;
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

/** Returns the bulk as the role sees it: without links to records that it doesn't see. */
export const presentBulk = (row: BulkRow, access: Access): Record<string, unknown> => ({
  ...bulkJson(row),
  operation: redactLinked(access, row.operation),
});

export const bulkResponseBody = (row: BulkRow, access: Access): string =>
  JSON.stringify({ bulk: presentBulk(row, access) });
