/** Undoes a bulk by a new bulk, which restores the former values of the items that it changed. Used by `POST /bulk/:id/undo`. */
import { type Caller, principalModeFault, withoutSupervision } from '../accounts/access/principal.ts';
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { bulkOperations } from '../items/operations/bulkOperations.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import type { ActionDeps } from '../runs/model.ts';
import { requestBulkApproval } from './bulkApproval.ts';
import { acceptBulk } from './insertBulk.ts';
import type { BulkRow } from './present.ts';
import { readVisibleBulk } from './queries.ts';

/** Items that the caller does not see are left out: the size of the undo would disclose how many there are. */
const changedIds = statement(
  'bulk.changedIds',
  `select r.item from bulk_results r join items i on i.env = $2 and i.id = r.item
  where r.bulk = $1 and r.outcome = 'changed' and ($3::text[] is null or i.inbox = any ($3)) order by r.seq`,
);

const undoProblem = (bulk: BulkRow, at: number): string | null => {
  if (bulk.undo_of !== null) return 'An undo can’t be undone.';
  if (!bulkOperations.has(bulk.operation.type)) return 'What an action has done can’t be undone here.';
  if (bulk.finished_at === null) return 'This bulk isn’t finished; cancel it first.';
  if (at - bulk.finished_at > limits.undoMs) return 'A bulk can be undone for 7 days.';
  return bulk.changed === 0 ? 'This bulk changed nothing.' : null;
};

/** Returns whether the caller has the verb in any inbox. Rights are checked item by item when the bulk runs. */
const hasVerb = ({ env, principal }: Caller, verb: string): boolean =>
  [...env.definition.inboxes.keys()].some((inbox) => principal.access.can('inbox', inbox, verb));

/**
 * Accepts an undo and returns the body of the `202`; a supervised agent's undo waits for an approval. Throws `not_found`,
 * `forbidden` without the verb, `conflict` for a bulk that can't be undone.
 */
export const undoBulk = async (
  deps: ActionDeps,
  caller: Caller,
  id: string,
  save: (body: string) => SavedResponse | null,
): Promise<string> => {
  const bulk = await readVisibleBulk(deps, caller, id);
  const readonly = principalModeFault(withoutSupervision(caller.principal));
  if (readonly !== null) throw readonly;
  const problem = undoProblem(bulk, deps.clock.now());
  if (problem !== null) throw fault('conflict', problem);
  const { type, ...members } = bulk.operation;
  const lacking = bulkOperations
    .get(type)
    ?.verbs(members)
    .find((verb) => !hasVerb(caller, verb));
  if (lacking !== undefined) throw fault('forbidden', `Your role does not allow ${lacking} in any inbox.`);
  const { env, principal } = caller;
  const seen = [id, env.id, principal.access.namesSeen('inbox')];
  const ids = (await queryRows<{ item: string }>(deps.db, changedIds, seen)).map(({ item }) => item);
  const wanted = { operation: { type: 'undo', bulk: id }, ids, areNamed: false, undoOf: id, save };
  return caller.principal.mode === 'supervised'
    ? requestBulkApproval(deps, caller, wanted)
    : acceptBulk(deps, caller, wanted);
};
