/** Cancels the chunks of a bulk that have not started, and stages a job that does so with its runs; a chunk that runs continues to its end. */
import { reasonMember, type Caller, toEventActor } from '../accounts/access/principal.ts';
import { withdrawApproval } from '../approvals/endApproval.ts';
import { fault } from '../catalogue/errors.ts';
import { openApprovalStatuses } from '../catalogue/states/approvals.ts';
import { bulkChunks, openChunkStatuses } from '../catalogue/states/bulks.ts';
import { sqlList, statesBefore } from '../catalogue/states/machine.ts';
import type { Tx } from '../platform/db/knex.ts';
import { retryOnConflict } from '../platform/db/retryOnConflict.ts';
import { executeStatement, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { actorValues, change, event, insertSavedResponse, writeChange } from '../platform/journal/changeWriter.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { bulkResultInsert } from '../platform/journal/inserts.ts';
import { channels, outboxOf } from '../platform/redis/bus.ts';
import type { ActionDeps } from '../runs/model.ts';
import { stageEndOfRuns } from './cancelledRuns.ts';
import { bulkResponseBody, type BulkRow } from './present.ts';
import { finishBulk, publishBulkProgress } from './progress.ts';
import { cancelledMessage, isBulkAuthor, readBulk, readVisibleBulk } from './queries.ts';
import { onlyInbox, readBulkScope, scopeData, scopeMember, type BulkScope } from './scope.ts';

const lockBulkSql = statement('bulk.lock', 'select id from bulks where env = $1 and id = $2 for update');
/** Items that are not there for the requester have their results already (bulkApproval.ts). A bulk of an action is cancelled also where all runs are made. */
const cancelPendingChunksSql = statement(
  'bulk.stop',
  `
  with stopped as (
    update bulk_chunks set status = 'cancelled', failed = cardinality(ids) where bulk = $1 and status in (${sqlList(statesBefore(bulkChunks, 'cancelled'))}) returning n, first, ids
  ), ended as (${bulkResultInsert(
    {
      bulk: '$1',
      seq: 's.first + i.n - 1',
      item: 'i.id',
      outcome: "'cancelled'",
      error: '$2',
      code: "'cancelled'",
    },
    { from: 'stopped s cross join lateral unnest(s.ids) with ordinality as i (id, n)', skipExisting: true },
  )}), unstaged as (
    delete from staged_jobs j using stopped s where j.subject = $1 and j.name = 'bulkChunk' and (j.payload ->> 'chunk')::int = s.n
  )
  update bulks set cancelled = true where id = $1 and (exists (select from stopped)
    or (operation ->> 'type' = 'action' and exists (select from bulk_chunks where bulk = $1 and status in (${sqlList(openChunkStatuses)}))))`,
);
const pendingApprovalSql = statement(
  'bulk.approval',
  `select id from approvals where bulk = $1 and status in (${sqlList(openApprovalStatuses)})`,
);
const cancelChange = change('bulk.noteCancel', {
  happened: event({
    verb: "'bulk.cancel'",
    target_type: "'bulk'",
    target: '$id',
    before: '$before',
    after: '$after',
    inbox: '$inbox',
    data: '$scope',
  }),
});

interface CancelledBulk {
  readonly before: BulkRow;
  readonly after: BulkRow;
  readonly scope: BulkScope | null;
}

const insertCancelEvent = async (
  tx: Tx,
  caller: Caller,
  at: number,
  { before, after, scope }: CancelledBulk,
): Promise<void> => {
  await writeChange(tx, cancelChange, {
    env: caller.env.id,
    at,
    id: before.id,
    before: { status: before.status, failed: before.failed },
    after: { status: after.status, failed: after.failed, ...scopeMember(scope), ...reasonMember(caller) },
    inbox: onlyInbox(scope),
    scope: scopeData(scope),
    ...actorValues(toEventActor(caller)),
  });
};

interface CancelBulkRequest {
  readonly caller: Caller;
  readonly id: string;
  readonly at: number;
  readonly save: (body: string) => SavedResponse | null;
}

/** Cancels the pending chunks, and the approval that waits, in one transaction, with the bulk's row locked, so that nothing finishes the bulk meanwhile. */
const cancelBulkTx = async (
  { directory }: ActionDeps,
  tx: Tx,
  { caller, id, at, save }: CancelBulkRequest,
): Promise<string> => {
  const source = { db: tx, directory };
  const waiting = await queryRow<{ id: string }>(tx, pendingApprovalSql, [id]);
  if (waiting !== undefined) await withdrawApproval(tx, caller, waiting.id, at);
  await queryRows(tx, lockBulkSql, [caller.env.id, id]);
  const before = await readVisibleBulk(source, caller, id);
  if (!isBulkAuthor(caller, before)) throw fault('forbidden', 'Only who asked for a bulk may cancel it.');
  if (before.finished_at !== null) throw fault('conflict', 'This bulk is finished.');
  await executeStatement(tx, cancelPendingChunksSql, [id, cancelledMessage]);
  await stageEndOfRuns(tx, id, caller.requestId, at);
  const stopped = await readVisibleBulk(source, caller, id);
  const scope = await readBulkScope(source, stopped);
  const after = stopped.open === 0 ? await finishBulk(tx, stopped, scope, at) : stopped;
  await insertCancelEvent(tx, caller, at, { before, after, scope });
  const text = bulkResponseBody(caller, after);
  const saved = save(text);
  if (saved !== null) await insertSavedResponse(tx, saved, at);
  return text;
};

/** Tries of the transaction: it may deadlock with statements that lease jobs, and is then rolled back and retried. */
const attemptsMax = 5;

/** Cancels the bulk and returns the body of the `200`. Throws `not_found`, `forbidden` for another's bulk, `conflict` for a finished one. */
export const cancelBulk = async (
  deps: ActionDeps,
  caller: Caller,
  id: string,
  save: (body: string) => SavedResponse | null,
): Promise<string> => {
  const body = await retryOnConflict(
    () => deps.db.transaction((tx) => cancelBulkTx(deps, tx, { caller, id, at: deps.clock.now(), save })),
    { limit: attemptsMax },
  );
  deps.bus.publish(channels.workAvailable, 'jobs');
  deps.bus.publish(channels.workAvailable, outboxOf(caller.env.id));
  // A chunk that ended meanwhile saw others pending, and this transaction saw that chunk running: so it is checked once more.
  await publishBulkProgress(deps, caller.env.id, id).catch((error: unknown) => {
    deps.log.warn({ err: error, bulk: id }, 'a cancelled bulk could not be looked at again; the sweep will');
  });
  return body;
};

/** Ends a bulk whose approval was rejected, withdrawn or has expired. */
export const cancelUnapprovedBulk = async (deps: ActionDeps, envId: number, id: string): Promise<void> => {
  await deps.db.transaction(async (tx) => {
    await queryRows(tx, lockBulkSql, [envId, id]);
    const before = await readBulk(tx, envId, id);
    if (before?.status !== 'pending') return;
    await executeStatement(tx, cancelPendingChunksSql, [id, 'The bulk was not approved.']);
    const stopped = await readBulk(tx, envId, id);
    if (stopped === undefined) return;
    const scope = await readBulkScope({ db: tx, directory: deps.directory }, stopped);
    await finishBulk(tx, stopped, scope, deps.clock.now());
  });
};
