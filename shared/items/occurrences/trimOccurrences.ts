/** Deletes the occurrences that an inbox does not keep, and their words. For workers/sweeps/index.ts. */
import type { Db } from '../../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../../platform/db/sql.ts';

/** Rows of one statement: few, so that locks are short. */
const batchRows = 1_000;

const overflowingSql = statement(
  'occurrences.overflowing',
  `select o.env, o.item, i.inbox, array_agg(o.id) as marks from occurrences o join items i on i.env = o.env and i.id = o.item
  where o.overflow group by o.env, o.item, i.inbox limit 100`,
);
const deleteOldSql = statement(
  'occurrences.deleteOld',
  `delete from occurrences o using (
    select at, id from occurrences where env = $1 and item = $2 order by at desc, id desc offset $3 limit ${String(batchRows)}
  ) old
  where o.env = $1 and o.item = $2 and o.at = old.at and o.id = old.id`,
);
/** Of all that are gone, as a sweep of older texts may have indexed one while it was deleted. */
const forgetSql = statement(
  'occurrences.forget',
  `delete from item_words w where w.env = $1 and w.item = $2 and w.source like 'occ\\_%'
  and not exists (select from occurrences o where o.env = $1 and o.item = $2 and o.id = w.source)`,
);
const unmarkSql = statement(
  'occurrences.unmark',
  'update occurrences set overflow = false where env = $1 and item = $2 and id = any($3)',
);

interface OverflowingItem {
  readonly env: number;
  readonly item: string;
  readonly inbox: string;
  /** The ids of its occurrences that are marked; marks of later ones are left for the next run. */
  readonly marks: readonly string[];
}

export const readOverflowingItems = (db: Db): Promise<OverflowingItem[]> => queryRows(db, overflowingSql);

/** Deletes the occurrences of an item beyond the newest `keep` (null: none), then its marks, so that a killed sweep is repeated. */
export const trimItem = async (db: Db, { env, item, marks }: OverflowingItem, keep: number | null): Promise<void> => {
  if (keep !== null) while ((await executeStatement(db, deleteOldSql, [env, item, keep])) === batchRows);
  await executeStatement(db, forgetSql, [env, item]);
  await executeStatement(db, unmarkSql, [env, item, marks]);
};
