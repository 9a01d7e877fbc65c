/** The first items of bulks that wait for approval, so that whoever decides sees what they are about. Used by currentTargets.ts. */
import type { Approval } from '../../approvals/model.ts';
import { limits } from '../../catalogue/limits.ts';
import { readItems, type Item } from '../../items/model.ts';
import type { Db } from '../../platform/db/knex.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';

type BulkItem = Pick<Item, 'id' | 'inbox' | 'title' | 'state' | 'record'>;

/** The target of a bulk's approval as it is now. */
interface BulkTarget {
  /** The first `limits.approvalItems` that were named, as far as they exist. */
  readonly items: readonly BulkItem[];
  /** How many more ids were named. */
  readonly more: number;
}

const firstIds = statement(
  'bulk.firstIds',
  `select bulk, ids[1:${String(limits.approvalItems)}] as ids from bulk_chunks where bulk = any ($1::text[]) and n = 0`,
);

const toBulkItem = ({ id, inbox, title, state, record }: Item): BulkItem => ({ id, inbox, title, state, record });

/** Returns the target of each bulk among the approvals that are pending, by the bulk's id. */
export const readBulkTargets = async (
  db: Db,
  envId: number,
  approvals: readonly Approval[],
): Promise<ReadonlyMap<string, BulkTarget>> => {
  const pending = approvals.flatMap(({ kind, status, bulk, request }) =>
    kind === 'bulk' && status === 'pending' && bulk !== null ? [[bulk, request.total] as const] : [],
  );
  if (pending.length === 0) return new Map();
  const totals = new Map(pending);
  const rows = await queryRows<{ bulk: string; ids: string[] }>(db, firstIds, [[...totals.keys()]]);
  const found = await readItems(
    db,
    envId,
    rows.flatMap(({ ids }) => ids),
  );
  return new Map(
    rows.map(({ bulk, ids }) => [
      bulk,
      {
        items: ids.flatMap((id) => found.get(id) ?? []).map(toBulkItem),
        more: (totals.get(bulk) ?? ids.length) - ids.length,
      },
    ]),
  );
};
