/** The effect of approving a bulk: jobs for its chunks. Each chunk checks the rights on its items when it runs. */
import { hashBulkRecords } from '../../bulk/bulkRecords.ts';
import { bulkJson } from '../../bulk/present.ts';
import { readBulk } from '../../bulk/queries.ts';
import { startApprovedBulk } from '../../bulk/startApprovedBulk.ts';
import { requireRunnableAction } from '../../runs/authorizeAction.ts';
import { emptyEffects, staleFault, type PrepareEffect } from './effect.ts';

/** Checks that the requester may still run the bulk's action. Throws `stale` when the bulk is not pending. */
export const prepareBulkApproval: PrepareEffect<'bulk'> = async ({ deps, approval, requester, decidedBy }) => {
  const { operation, action, fields } = approval.request;
  if (operation.type === 'action') requireRunnableAction(requester, action ?? '');
  const { bulk: id } = approval;
  if (id === null) throw staleFault('bulk', 'it has no bulk');
  return async (tx) => {
    const bulk = await readBulk(tx, approval.env, id);
    if (bulk === undefined || bulk.status !== 'pending') throw staleFault('bulk', 'its bulk is not pending any more');
    const hashes =
      fields === undefined
        ? null
        : await hashBulkRecords(tx, requester.env, { bulk: id, ids: null, ...approval.request });
    if (hashes !== null && hashes.stale !== fields)
      throw staleFault('record.fields', 'fields of its records have changed since the request');
    await startApprovedBulk(tx, bulk, decidedBy, deps.clock.now());
    return { ...emptyEffects, bulk: bulkJson({ ...bulk, status: 'queued' }) };
  };
};
