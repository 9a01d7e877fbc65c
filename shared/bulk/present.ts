/** Bulks as rows, as JSON of responses, and as parts of live messages. Used by all of shared/bulk. */
import type { Access } from '../accounts/access/access.ts';
import type { Caller } from '../accounts/access/principal.ts';
import type { ActorRef, LivePart } from '../catalogue/events.ts';
import type { BulkStatus } from '../catalogue/states/bulks.ts';
import { redactLinked } from '../items/links.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import type { BulkOperationBody } from './schema.ts';
import { resourceOfBulk, type BulkScope } from './scope.ts';

export interface BulkRow {
  readonly id: string;
  readonly env: number;
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

/** Returns the part of a live message about a bulk. `scope` decides who sees it, and is not sent itself. */
export const bulkLivePart = (row: BulkRow, scope: BulkScope | null): LivePart => ({
  type: 'bulk',
  bulk: { ...bulkJson(row), scope },
});

/** Returns whether the role sees the resource of a bulk's action; `undefined`: it is not known, `null`: the bulk runs none. */
const seesResource = (access: Access, resource: string | null | undefined): boolean =>
  resource === undefined
    ? access.namesSeen('resource') === null
    : resource === null || access.sees('resource', resource);

/** Returns whether the caller sees the resource of the bulk's action, if it runs one. */
export const seesBulkResource = (
  { env, principal }: Caller,
  { operation }: { readonly operation: BulkOperationBody },
): boolean => seesResource(principal.access, resourceOfBulk(env.definition, operation));

/**
 * Returns a bulk in JSON as the role sees it: without links to records that it doesn't see, and without the input of an
 * action on a resource that it doesn't see; the same object if it sees all.
 */
export const redactBulk = <B extends Readonly<Record<string, unknown>>>(
  access: Access,
  bulk: B,
  resource: string | null | undefined,
): B => {
  const { operation } = bulk;
  if (!isObject(operation)) return bulk;
  const { input: _, ...withoutInput } = operation;
  const seen = seesResource(access, resource) ? redactLinked(access, operation) : withoutInput;
  return seen === operation ? bulk : { ...bulk, operation: seen };
};

/** Returns the bulk as the caller sees it. */
export const presentBulk = ({ env, principal }: Caller, row: BulkRow): Record<string, unknown> =>
  redactBulk(principal.access, bulkJson(row), resourceOfBulk(env.definition, row.operation));

export const bulkResponseBody = (caller: Caller, row: BulkRow): string =>
  JSON.stringify({ bulk: presentBulk(caller, row) });
