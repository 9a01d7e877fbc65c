/** Starts a bulk that a person has approved: stages a job for each chunk. Used by shared/decisions. */
import { fault } from '../catalogue/errors.ts';
import type { ActorRef } from '../catalogue/events.ts';
import { limits } from '../catalogue/limits.ts';
import { bulks } from '../catalogue/states/bulks.ts';
import { sqlList, statesLeftBy } from '../catalogue/states/machine.ts';
import type { Tx } from '../platform/db/knex.ts';
import { newId } from '../platform/ids.ts';
import { change, live, writeChange } from '../platform/journal/changeWriter.ts';
import { nextEventId } from '../platform/journal/events.ts';
import { chunkJobInsert } from './chunkJobSql.ts';
import { bulkLivePart, type BulkRow } from './present.ts';
import { readBulkScope } from './scope.ts';

const startChange = change('bulk.begin', {
  begun: `update bulks set status = 'queued', approved_by = $by::jsonb where id = $id and status in (${sqlList(statesLeftBy(bulks, 'approved'))}) returning id, env, request_id`,
  staged: chunkJobInsert(
    { env: 'env', bulk: 'begun.id', chunk: 'n - 1', requestId: 'begun.request_id', at: '$at::bigint' },
    { from: 'begun cross join unnest($jobs::text[]) with ordinality as jobs (job, n)' },
  ),
  told: live({ id: nextEventId, env: 'env' }, { from: 'begun' }),
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
