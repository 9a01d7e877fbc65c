/** Requests the approval of a bulk, which is inserted as pending and starts when it is approved. One approval covers all of it. */
import { findVisibleInbox } from '../access/gates.ts';
import type { Caller } from '../access/principal.ts';
import type { ActionDeps } from '../actions/deps.ts';
import type { ApprovalRequestData } from '../approvals/model.ts';
import { requestApproval } from '../approvals/requestApproval.ts';
import { limits } from '../catalogue/limits.ts';
import { readItems } from '../items/model.ts';
import { insertSavedResponse } from '../platform/journal/idempotency.ts';
import { buildPendingBulk, insertPendingBulk, type NewBulk } from './insertBulk.ts';
import { bulkJson } from './present.ts';
import { readBulk } from './queries.ts';

/** Returns what decides who sees the request: the inboxes of the items that the requester sees, the action and its resource. */
const readVisibility = async (
  { db }: ActionDeps,
  caller: Caller,
  { operation, ids }: NewBulk,
): Promise<Pick<ApprovalRequestData['bulk'], 'inboxes' | 'action' | 'resource'>> => {
  const items = [...(await readItems(db, caller.env.id, ids)).values()];
  const inboxes = [...new Set(items.map(({ inbox }) => inbox))]
    .filter((name) => findVisibleInbox(caller, name) !== undefined)
    .sort();
  const action = operation.type === 'action' ? String(operation['action']) : null;
  return {
    inboxes,
    action,
    resource: action === null ? null : (caller.env.definition.actions.get(action)?.resource ?? null),
  };
};

/** Requests an approval and returns the body of the `202`. The same request while one is pending returns that one. */
export const requestBulkApproval = async (deps: ActionDeps, caller: Caller, wanted: NewBulk): Promise<string> => {
  const { operation, ids } = wanted;
  const bulk = buildPendingBulk(caller, wanted);
  const what = operation.type === 'action' ? String(operation['action']) : operation.type;
  const bodyOf = (approval: string): string => JSON.stringify({ pending: true, approval, bulk: bulkJson(bulk) });
  const asked = await requestApproval(deps, caller, {
    kind: 'bulk',
    summary: `${what} on ${String(ids.length)} items`,
    request: { operation, total: ids.length, ...(await readVisibility(deps, caller, wanted)) },
    before: null,
    fingerprint: ['bulk', operation, ids],
    expiresMs: limits.approvalMs,
    bulk: bulk.id,
    alsoInTransaction: (tx) => insertPendingBulk(deps, tx, caller, bulk, ids),
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
