/** Accepts a bulk: one statement inserts it, its chunks, a job for each, its event, its message and the saved response. */
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { newId } from '../platform/core/ids.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import type { ActionDeps } from '../actions/deps.ts';
import type { Caller } from '../access/principal.ts';
import { principalModeFault } from '../access/gates.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { channels } from '../platform/redis/bus.ts';
import { bulkLivePart, bulkResponseBody, type BulkRow } from './present.ts';
import type { BulkOperationBody } from './schema.ts';

const chunk = String(limits.bulkChunk);

const insertBulkSql = statement(
  'bulk.accept',
  `
  with made as (
    insert into bulks (id, env, status, operation, total, actor_type, actor, actor_name, undo_of, request_id, address, created_at)
    values ($1, $2, $23, $3, cardinality($4::text[]), $5, $6, $7, $8, $9, $10, $11)
  ), cut as (
    insert into bulk_chunks (bulk, n, first, ids)
    select $1, n, n * ${chunk}, ($4::text[])[n * ${chunk} + 1 : (n + 1) * ${chunk}] from generate_series(0, cardinality($12::text[]) - 1) as n
  ), staged as (
    insert into staged_jobs (id, env, name, payload, subject, request_id, due_at, created_at)
    select job, $2, 'bulkChunk', jsonb_build_object('bulk', $1::text, 'chunk', n - 1), $1, $9, $11, $11
    from unnest($12::text[]) with ordinality as jobs (job, n) where $23 = 'queued'
  ), noted as (
    insert into events (env, at, actor_type, actor, actor_name, role, verb, target_type, target, after, request_id, address)
    values ($2, $11, $5, $6, $7, $13, $14, 'bulk', $15, $16, $9, $10) returning id
  ), told as (
    insert into outbox (id, env, at, parts) select id, $2, $11, $17 from noted
  )
  insert into idempotency_keys (principal, key, fingerprint, status, body, etag, created_at)
  select $18, $19, $20::bytea, $21::smallint, $22, null, $11 where $19::text is not null`,
);

export interface NewBulk {
  readonly operation: BulkOperationBody;
  readonly ids: readonly string[];
  readonly undoOf: string | null;
  /** Returns the response to save under the call's idempotency key; null: no key. */
  readonly save: (body: string) => SavedResponse | null;
}

/** Throws the fault of a principal that can't change anything now. */
const requireMayAccept = ({ principal }: Caller): void => {
  const problem = principalModeFault(principal);
  if (problem !== null) throw problem;
};

const buildBulkRow = (
  { principal }: Caller,
  { operation, ids, undoOf }: NewBulk,
  status: BulkRow['status'],
): BulkRow => {
  if (principal.id === null) throw fault('forbidden');
  return {
    id: newId('blk'),
    status,
    operation,
    total: ids.length,
    actor_type: principal.type,
    actor: principal.id,
    actor_name: principal.name,
    undo_of: undoOf,
    cancelled: false,
    started_at: null,
    finished_at: null,
    changed: 0,
    unchanged: 0,
    failed: 0,
    open: 0,
  };
};

interface BulkInsert {
  readonly bulk: BulkRow;
  readonly ids: readonly string[];
  readonly saved: SavedResponse | null;
  readonly at: number;
}

const insertBulk = async (
  db: Db | Tx,
  { env, principal, requestId, address }: Caller,
  { bulk, ids, saved, at }: BulkInsert,
): Promise<void> => {
  const jobs = Array.from({ length: Math.ceil(bulk.total / limits.bulkChunk) }, () => newId('job'));
  const [verb, target] = bulk.undo_of === null ? ['bulk.create', bulk.id] : ['bulk.undo', bulk.undo_of];
  await executeStatement(db, insertBulkSql, [
    bulk.id,
    env.id,
    JSON.stringify(bulk.operation),
    ids,
    bulk.actor_type,
    bulk.actor,
    bulk.actor_name,
    bulk.undo_of,
    requestId,
    address,
    at,
    jobs,
    principal.role?.name ?? null,
    verb,
    target,
    JSON.stringify({ bulk: bulk.id, operation: bulk.operation, total: bulk.total }),
    JSON.stringify([bulkLivePart(bulk)]),
    saved?.principal ?? null,
    saved?.key ?? null,
    saved?.fingerprint ?? null,
    saved?.status ?? null,
    saved?.body ?? null,
    bulk.status,
  ]);
};

/** Inserts the bulk and returns the body of the `202`. The audit log shows an undo on the bulk that it undoes. */
export const acceptBulk = async (deps: ActionDeps, caller: Caller, wanted: NewBulk): Promise<string> => {
  requireMayAccept(caller);
  const bulk = buildBulkRow(caller, wanted, 'queued');
  const body = bulkResponseBody(bulk);
  await insertBulk(deps.db, caller, { bulk, ids: wanted.ids, saved: wanted.save(body), at: deps.clock.now() });
  deps.bus.publish(channels.workAvailable, 'jobs');
  deps.bus.publish(channels.workAvailable, 'outbox');
  return body;
};

/** Returns a bulk that waits for an approval; `insertPendingBulk` writes it, `startApprovedBulk` starts it. */
export const buildPendingBulk = (caller: Caller, wanted: NewBulk): BulkRow => buildBulkRow(caller, wanted, 'pending');

export const insertPendingBulk = (
  deps: ActionDeps,
  tx: Tx,
  caller: Caller,
  bulk: BulkRow,
  ids: readonly string[],
): Promise<void> => insertBulk(tx, caller, { bulk, ids, saved: null, at: deps.clock.now() });
