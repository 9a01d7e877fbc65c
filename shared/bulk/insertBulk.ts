/** Accepts a bulk within what its principal may have under way: one statement inserts it, its chunks, a job for each, its event, its message and the saved response. */
import { type Caller, principalModeFault, reasonMember, toEventActor } from '../accounts/access/principal.ts';
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import {
  actor,
  actorValues,
  change,
  event,
  keep,
  live,
  savedValues,
  writeChange,
} from '../platform/journal/changeWriter.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import { inStatementSpan } from '../platform/tracing/span.ts';
import type { ActionDeps } from '../runs/model.ts';
import { chunkJobInsert } from './chunkJobSql.ts';
import { type BulkRow, bulkLivePart, bulkResponseBody } from './present.ts';
import type { BulkOperationBody } from './schema.ts';
import { type BulkScope, onlyInbox, readNewBulkScope, scopeData, scopeMember } from './scope.ts';

/** Seconds after which a principal with too much under way may look again. */
const retryAfter = '10';

const unfinishedSql = statement(
  'bulk.unfinishedItems',
  `
  select coalesce(sum(b.total - c.done), 0)::int as n
  from bulks b cross join lateral (
    select coalesce(sum(changed + unchanged + failed), 0)::int as done from bulk_chunks where bulk = b.id
  ) c
  where b.finished_at is null and b.actor = $1`,
);

/** Throws `rate_limited` when the principal would have more than `limits.unfinishedItems` under way. */
export const requireBulkRoom = async (db: Db, { principal }: Caller, items: number): Promise<void> => {
  if (items === 0) return;
  const waiting = (await queryRow<{ n: number }>(db, unfinishedSql, [principal.id]))?.n ?? 0;
  if (waiting + items <= limits.unfinishedItems) return;
  throw fault(
    'rate_limited',
    `${String(waiting)} items of your bulks are not done yet, and at most ${String(limits.unfinishedItems)} may be; wait for some of them.`,
    { headers: { 'retry-after': retryAfter } },
  );
};

const chunk = String(limits.bulkChunk);

const acceptChange = change('bulk.accept', {
  made: `
    insert into bulks (id, env, status, operation, total, actor_type, actor, actor_name, undo_of, request_id, address, created_at, reason, finished_at)
    values ($id, $env, $status, $operation, cardinality($ids::text[]), ${actor.actor_type}, ${actor.actor}, ${actor.actor_name}, $undoOf, ${actor.request_id}, ${actor.address}, $at::bigint, $reason, case when $status = 'done' then $at::bigint end)`,
  cut: `
    insert into bulk_chunks (bulk, n, first, ids)
    select $id, n, n * ${chunk}, ($ids::text[])[n * ${chunk} + 1 : (n + 1) * ${chunk}] from generate_series(0, cardinality($jobs::text[]) - 1) as n`,
  staged: chunkJobInsert(
    {
      env: '$env',
      bulk: '$id::text',
      chunk: 'n - 1',
      requestId: actor.request_id,
      at: '$at::bigint',
      traceparent: '$trace',
    },
    { from: 'unnest($jobs::text[]) with ordinality as jobs (job, n)', where: "$status = 'queued'" },
  ),
  happened: event(
    { verb: '$verb', target_type: "'bulk'", target: '$target', after: '$after', data: '$scope', inbox: '$inbox' },
    { returning: 'id' },
  ),
  told: live({ id: 'id', traceparent: '$trace' }, { from: 'happened' }),
  kept: keep({}),
});

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
  { bulk, areNamed, ids, scope, saved, at }: BulkInsert,
): Promise<void> => {
  const jobs = Array.from({ length: Math.ceil(bulk.total / limits.bulkChunk) }, () => newId('job'));
  const [verb, target] = bulk.undo_of === null ? ['bulk.create', bulk.id] : ['bulk.undo', bulk.undo_of];
  const values = {
    id: bulk.id,
    env: caller.env.id,
    operation: bulk.operation,
    ids,
    undoOf: bulk.undo_of,
    at,
    jobs,
    verb,
    target,
    after: {
      bulk: bulk.id,
      operation: bulk.operation,
      total: bulk.total,
      ...scopeMember(scope),
      ...reasonMember(caller),
    },
    live: JSON.stringify([bulkLivePart(bulk, scope)]),
    status: bulk.status,
    reason: caller.reason,
    trace: caller.span?.traceparent,
    scope: scopeData(scope, areNamed),
    inbox: onlyInbox(scope),
    ...savedValues(saved),
    ...actorValues(toEventActor(caller)),
  };
  await inStatementSpan(caller.span, 'bulk.accept', () => writeChange(db, acceptChange, values));
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
  deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
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
