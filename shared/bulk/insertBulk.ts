/** Accepts a bulk: one statement inserts it, its chunks, a job for each, its event, its message and the saved response. */
import { principalModeFault } from '../access/gates.ts';
import { reasonMember, type Caller } from '../access/principal.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { newId } from '../platform/core/ids.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import { actorParameters, actorValues, eventInsert, toEventActor } from '../platform/journal/events.ts';
import {
  savedResponseInsert,
  savedResponseParameters,
  savedResponseValues,
  type SavedResponse,
} from '../platform/journal/idempotency.ts';
import { outboxInsert } from '../platform/journal/outbox.ts';
import { channels } from '../platform/redis/bus.ts';
import { inStatementSpan } from '../platform/tracing/span.ts';
import { chunkJobInsert } from './chunkJobSql.ts';
import { bulkLivePart, bulkResponseBody, type BulkRow } from './present.ts';
import type { BulkOperationBody } from './schema.ts';
import { onlyInbox, readNewBulkScope, scopeData, scopeMember, type BulkScope } from './scope.ts';
import { requireBulkRoom } from './unfinishedLimit.ts';

const chunk = String(limits.bulkChunk);

const saved = savedResponseParameters(13);
const actor = actorParameters(19);

const insertBulkSql = statement(
  'bulk.accept',
  `
  with made as (
    insert into bulks (id, env, status, operation, total, actor_type, actor, actor_name, undo_of, request_id, address, created_at, reason, finished_at)
    values ($1, $2, $12, $3, cardinality($4::text[]), ${actor.actor_type}, ${actor.actor}, ${actor.actor_name}, $5, ${actor.request_id}, ${actor.address}, $6, $25, case when $12 = 'done' then $6::bigint end)
  ), cut as (
    insert into bulk_chunks (bulk, n, first, ids)
    select $1, n, n * ${chunk}, ($4::text[])[n * ${chunk} + 1 : (n + 1) * ${chunk}] from generate_series(0, cardinality($7::text[]) - 1) as n
  ), staged as (${chunkJobInsert(
    { env: '$2', bulk: '$1::text', chunk: 'n - 1', requestId: actor.request_id, at: '$6', traceparent: '$26' },
    { from: 'unnest($7::text[]) with ordinality as jobs (job, n)', where: "$12 = 'queued'" },
  )}), noted as (${eventInsert(
    {
      ...actor,
      env: '$2',
      at: '$6',
      verb: '$8',
      target_type: "'bulk'",
      target: '$9',
      after: '$10',
      data: '$27',
      inbox: '$28',
    },
    { returning: 'id' },
  )}), told as (${outboxInsert({ id: 'id', env: '$2', at: '$6', parts: '$11', traceparent: '$26' }, { from: 'noted' })})
  ${savedResponseInsert({ ...saved, created_at: '$6' }, { where: `${saved.key}::text is not null` })}`,
);

export interface NewBulk {
  readonly operation: BulkOperationBody;
  readonly ids: readonly string[];
  /** Whether the caller has named the ids; else a query chose them, or the bulk that is undone. */
  readonly areNamed: boolean;
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
  { env, principal }: Caller,
  { operation, ids, undoOf }: NewBulk,
  status: BulkRow['status'],
): BulkRow => {
  if (principal.id === null) throw fault('forbidden');
  return {
    id: newId('blk'),
    env: env.id,
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
    results_gone_at: null,
  };
};

interface BulkInsert extends Pick<NewBulk, 'areNamed'> {
  readonly bulk: BulkRow;
  readonly ids: readonly string[];
  readonly scope: BulkScope;
  readonly saved: SavedResponse | null;
  readonly at: number;
}

const insertBulk = async (
  db: Db | Tx,
  caller: Caller,
  { bulk, areNamed, ids, scope, saved: response, at }: BulkInsert,
): Promise<void> => {
  const jobs = Array.from({ length: Math.ceil(bulk.total / limits.bulkChunk) }, () => newId('job'));
  const [verb, target] = bulk.undo_of === null ? ['bulk.create', bulk.id] : ['bulk.undo', bulk.undo_of];
  const values = [
    bulk.id,
    caller.env.id,
    JSON.stringify(bulk.operation),
    ids,
    bulk.undo_of,
    at,
    jobs,
    verb,
    target,
    JSON.stringify({
      bulk: bulk.id,
      operation: bulk.operation,
      total: bulk.total,
      ...scopeMember(scope),
      ...reasonMember(caller),
    }),
    JSON.stringify([bulkLivePart(bulk, scope)]),
    bulk.status,
    ...savedResponseValues(response),
    ...actorValues(toEventActor(caller)),
    caller.reason ?? null,
    caller.span?.traceparent ?? null,
    scopeData(scope, areNamed),
    onlyInbox(scope),
  ];
  await inStatementSpan(caller.span, 'bulk.accept', () => executeStatement(db, insertBulkSql, values));
};

/** Inserts the bulk, which is done at once if it has no items, and returns the body of the `202`. The audit log shows an undo on the bulk that it undoes. */
export const acceptBulk = async (deps: ActionDeps, caller: Caller, wanted: NewBulk): Promise<string> => {
  requireMayAccept(caller);
  await requireBulkRoom(deps.db, caller, wanted.ids.length);
  const scope = await readNewBulkScope(deps.db, caller, wanted);
  const at = deps.clock.now();
  const queued = buildBulkRow(caller, wanted, 'queued');
  const bulk: BulkRow = wanted.ids.length === 0 ? { ...queued, status: 'done', finished_at: at } : queued;
  const body = bulkResponseBody(caller, bulk);
  const { ids, areNamed, save } = wanted;
  await insertBulk(deps.db, caller, { bulk, areNamed, ids, scope, saved: save(body), at });
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
  pending: Pick<BulkInsert, 'bulk' | 'areNamed' | 'ids' | 'scope'>,
): Promise<void> => insertBulk(tx, caller, { ...pending, saved: null, at: deps.clock.now() });
