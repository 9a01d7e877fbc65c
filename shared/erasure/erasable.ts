/**
 * Finds and counts what holds something to erase: an erasure leaves the rest unchanged, and a dry run counts the same. Used by the
 * settings endpoint, erase.ts and contents.ts.
 */
import { erasedText } from '../catalogue/erased.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { find, findEvents } from './find.ts';
import type { ErasureTarget } from './model.ts';
import type { ErasureCounts } from './schema.ts';
import { slices } from './slices.ts';

/** Returns SQL for whether a run has something to erase. `reason` is SQL for its reason, `$3` is `erasedText`. */
export const isErasableRunSql = (run: string, reason: string): string =>
  `(${run}.input, ${run}.message, ${run}.blocks, ${run}.error, ${reason}) is distinct from
     ('{}'::jsonb, null, null, case when ${run}.error is null then null else $3 end, null)`;

/** SQL for whether an approval has something to erase. */
export const isErasableApprovalSql = "fingerprint <> ''";

const eventsSql = statement(
  'erasure.erasableEvents',
  `
  select id, item, target from events
  where id = any($1) and (erased_json(data), erased_json(before), erased_json(after)) is distinct from (data, before, after)`,
);
const itemsSql = statement(
  'erasure.erasableItems',
  `
  select i.id from items i
  where i.env = $1 and i.id = any($2) and (
    (i.title, i.fields::text, i.record_title, i.key) is distinct from ($3, '{}', null, null)
    or coalesce(i.triage -> 'answers', '[]') <> '[]'
    or exists (select from occurrences o where o.env = i.env and o.item = i.id and (o.title, o.data::text, o.who) is distinct from ($3, '{}', null)))`,
);
const runsSql = statement(
  'erasure.erasableRuns',
  `select count(*)::int as n from all_runs r where r.env = $1 and r.id = any($2) and ${isErasableRunSql('r', 'r.reason')}`,
);
const approvalsSql = statement(
  'erasure.erasableApprovals',
  `select count(*)::int as n from all_approvals where env = $1 and id = any($2) and ${isErasableApprovalSql}`,
);

export interface ErasableEvent {
  readonly id: number;
  readonly item: string | null;
  readonly target: string | null;
}

/** Events of one statement. */
export const eventsAtOnce = 500;

/** Returns those of the events, `eventsAtOnce` at most, that hold something to erase. */
export const findErasableEvents = (db: Db, ids: readonly number[]): Promise<ErasableEvent[]> =>
  queryRows<ErasableEvent>(db, eventsSql, [ids]);

/** Returns the ids of those of the items that hold something to erase. */
export const findErasableItems = async (db: Db | Tx, env: number, items: readonly string[]): Promise<string[]> =>
  (await queryRows<{ id: string }>(db, itemsSql, [env, items, erasedText])).map(({ id }) => id);

const countOf = async (row: Promise<{ readonly n: number } | undefined>): Promise<number> => (await row)?.n ?? 0;

/**
 * Returns what an erasure would erase now, counted as it counts itself. What has nothing to erase is not among it: a change of
 * state without a reason, or what another erasure has emptied.
 */
export const countErasable = async (db: Db, target: ErasureTarget): Promise<ErasureCounts> => {
  const found = await find(db, target);
  const { env } = target;
  let entries = 0;
  for (const some of slices(await findEvents(db, target, found), eventsAtOnce))
    entries += (await findErasableEvents(db, some)).length;
  return {
    records: found.isStored ? 1 : 0,
    items: (await findErasableItems(db, env, found.items)).length,
    linkedItems: found.linkedItems.length,
    occurrences: found.named.length,
    runs: await countOf(queryRow(db, runsSql, [env, found.runs, erasedText])),
    approvals: await countOf(queryRow(db, approvalsSql, [env, found.approvals])),
    entries,
  };
};
