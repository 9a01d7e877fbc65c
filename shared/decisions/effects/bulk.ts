/** Approving a bulk: its chunks get their jobs. Rights on its items are checked one by one when they run. */
import { allowedAction } from '../../actions/check.ts';
import { beginPending } from '../../bulk/begin.ts';
import { bulkJson } from '../../bulk/present.ts';
import { readBulk } from '../../bulk/queries.ts';
import { noEffects, stale, type Prepare } from './effect.ts';

export const approveBulk: Prepare<'bulk'> = async ({ deps, approval, requester, decidedBy }) => {
  const { operation } = approval.request;
  if (operation.type === 'action') allowedAction(requester, String((operation as { action?: unknown }).action));
  const { bulk: id } = approval;
  if (id === null) throw stale('bulk', 'it has no bulk');
  return async (tx) => {
    const bulk = await readBulk(tx, approval.env, id);
    if (bulk === undefined || bulk.status !== 'pending') throw stale('bulk', 'its bulk is not pending any more');
    await beginPending(tx, bulk, decidedBy, deps.clock.now());
    return { ...noEffects, bulk: bulkJson({ ...bulk, status: 'queued' }) };
  };
};
