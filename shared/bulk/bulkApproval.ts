/** Requests the approval of a bulk, which is inserted as pending, and starts it when it is approved. One approval covers all of it. */
import { type Caller, findVisibleInbox, withoutSupervision } from '../accounts/access/principal.ts';
import type { ApprovalRequestData } from '../approvals/model.ts';
import { requestApproval } from '../approvals/requestApproval.ts';
import { errors, fault } from '../catalogue/errors.ts';
import type { ActorRef } from '../catalogue/events.ts';
import { limits } from '../catalogue/limits.ts';
import { bulks } from '../catalogue/states/bulks.ts';
import { sqlList, statesLeftBy } from '../catalogue/states/machine.ts';
import { assigneeName } from '../items/operations/assign.ts';
import { bulkOperations } from '../items/operations/bulkOperations.ts';
import { type DryRunCounts, dryRun } from '../items/perform/dryRun.ts';
import type { Tx } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import { insertSavedResponse, change, live, writeChange } from '../platform/journal/changeWriter.ts';
import { nextEventId } from '../platform/journal/events.ts';
import { bulkResultInsert } from '../platform/journal/inserts.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { inputOfRequest } from '../runs/accept/runApproval.ts';
import type { ActionDeps } from '../runs/model.ts';
import { hashBulkRecords } from './bulkRecords.ts';
import { chunkJobInsert } from './chunkJobSql.ts';
import { dryRunAction } from './dryRunAction.ts';
import { type NewBulk, requireBulkRoom, buildPendingBulk, insertPendingBulk } from './insertBulk.ts';
import { type BulkRow, bulkJson, bulkLivePart } from './present.ts';
import { readBulk } from './queries.ts';
import type { BulkActionRequest } from './runs.ts';
import { type BulkScope, readNewBulkScope, readBulkScope } from './scope.ts';

/** Returns what decides who sees the request: the inboxes of the items that the requester sees, the action and its resource. */
const visibilityOf = (
  caller: Caller,
  { operation }: NewBulk,
  { inboxes, resource }: BulkScope,
): Pick<ApprovalRequestData['bulk'], 'inboxes' | 'action' | 'resource'> => ({
  inboxes: inboxes.filter((name) => findVisibleInbox(caller, name) !== undefined),
  action: operation.type === 'action' ? String(operation['action']) : null,
  resource,
});

/** Items of which each is decided while the request waits: 10,000 take about 0.3 s. */
const countedMax = 10_000;

/** Counts what the bulk would do now; null for an undo, and where the request would wait for it too long. */
const countEffects = async (
  deps: ActionDeps,
  caller: Caller,
  { operation: { type, ...members }, ids }: NewBulk,
): Promise<DryRunCounts | null> => {
  if (ids.length > countedMax) return null;
  const acting = { ...caller, principal: withoutSupervision(caller.principal) };
  if (type === 'action')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the type `action` has checked it
    return dryRunAction(deps, acting, { type, ...members } as unknown as BulkActionRequest, { ids, signal: null });
  const operation = bulkOperations.get(type)?.bind(members);
  return operation === undefined ? null : dryRun(deps, { caller: acting, operation, input: null }, ids);
};

/**
 * Gives items of further inboxes than the approval names the result of an id without an item. Whoever decides may not see those
 * inboxes, so that the bulk leaves them alone also when the requester sees them by the time it runs.
 */
const insertUnseenSql = statement(
  'bulk.unseen',
  bulkResultInsert(
    { bulk: '$1', seq: 'i.n - 1', item: 'i.id', outcome: "'not_found'", error: '$5', code: "'not_found'" },
    {
      from: 'unnest($3::text[]) with ordinality as i (id, n) join items t on t.env = $2 and t.id = i.id',
      where: 't.inbox <> all ($4::text[])',
    },
  ),
);

/** Requests an approval and returns the body of the `202`. The same request while one is pending returns that one. */
export const requestBulkApproval = async (deps: ActionDeps, caller: Caller, wanted: NewBulk): Promise<string> => {
  const { operation, areNamed, ids } = wanted;
  await requireBulkRoom(deps.db, caller, ids.length);
  const bulk = buildPendingBulk(caller, wanted);
  const scope = await readNewBulkScope(deps.db, caller, wanted);
  const visibility = visibilityOf(caller, wanted, scope);
  const what = operation.type === 'action' ? String(operation['action']) : operation.type;
  const bodyOf = (approval: string): string => JSON.stringify({ pending: true, approval, bulk: bulkJson(bulk) });
  const action = caller.env.definition.actions.get(what);
  const input = isObject(operation['input']) ? operation['input'] : {};
  const counts = await countEffects(deps, caller, wanted);
  const hashes = await hashBulkRecords(deps.db, caller.env, { bulk: bulk.id, ids, operation, ...visibility });
  const asked = await requestApproval(deps, caller, {
    kind: 'bulk',
    summary: `${what} on ${String(ids.length)} ${operation['records'] === undefined ? 'items' : 'records'}`,
    request: {
      operation,
      total: ids.length,
      ...visibility,
      ...(operation.type === 'action' && action !== undefined
        ? await inputOfRequest(deps, caller.env, { action, input }, null)
        : {}),
      ...(counts === null ? {} : { after: { ...counts } }),
      ...(hashes === null ? {} : { records: hashes.records }),
      ...(hashes === null || hashes.stale === null ? {} : { fields: hashes.stale }),
    },
    before: null,
    ...(operation.type === 'action'
      ? { label: action?.label ?? what, reversible: action?.reversible ?? null }
      : { label: assigneeName(deps.directory, caller.env, operation) }),
    ...action?.approvalNeeds,
    fingerprint: ['bulk', operation, ids],
    expiresMs: limits.approvalMs,
    bulk: bulk.id,
    alsoInTransaction: async (tx) => {
      await insertPendingBulk(deps, tx, caller, { bulk, areNamed, ids, scope });
      if (visibility.inboxes.length < scope.inboxes.length)
        await executeStatement(tx, insertUnseenSql, [
          bulk.id,
          caller.env.id,
          ids,
          visibility.inboxes,
          errors.not_found.message,
        ]);
    },
    save: ({ approval, bulk: waiting }) => (waiting === bulk.id ? wanted.save(bodyOf(approval)) : null),
  });
  if (asked.bulk === bulk.id) return bodyOf(asked.approval);
  const known = asked.bulk === null ? undefined : await readBulk(deps.db, caller.env.id, asked.bulk);
  const body = JSON.stringify({
    pending: true,
    approval: asked.approval,
    bulk: known === undefined ? null : bulkJson(known),
  });
  const saved = wanted.save(body);
  if (saved !== null) await insertSavedResponse(deps.db, saved, deps.clock.now());
  return body;
};

const startChange = change('bulk.begin', {
  begun: `update bulks set status = 'queued', approved_by = $by::jsonb where id = $id and status in (${sqlList(statesLeftBy(bulks, 'approved'))}) returning id, env, request_id, ${nextEventId} as event`,
  staged: chunkJobInsert(
    { env: 'env', bulk: 'begun.id', chunk: 'n - 1', requestId: 'begun.request_id', at: '$at::bigint' },
    { from: 'begun cross join unnest($jobs::text[]) with ordinality as jobs (job, n)' },
  ),
  told: live({ id: 'event', env: 'env' }, { from: 'begun' }),
});

/** Starts the bulk, which was read in this transaction. Throws `stale` when it is not pending any more, as it was cancelled since it was read. */
export const startApprovedBulk = async (tx: Tx, bulk: BulkRow, approvedBy: ActorRef, at: number): Promise<void> => {
  const jobs = Array.from({ length: Math.ceil(bulk.total / limits.bulkChunk) }, () => newId('job'));
  const scope = await readBulkScope({ db: tx, directory: null }, bulk);
  const started = await writeChange(tx, startChange, {
    id: bulk.id,
    at,
    jobs,
    by: { ...approvedBy, at },
    live: JSON.stringify([bulkLivePart({ ...bulk, status: 'queued' }, scope)]),
  });
  if (started === 0) {
    const message = 'its bulk has just been cancelled';
    throw fault('stale', `This approval no longer fits: ${message}.`, { details: [{ path: 'bulk', message }] });
  }
};
