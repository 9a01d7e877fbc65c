/** Finds replies and state changes by others on an item. They make the request of a supervised agent stale. For items/, runs/ and decisions/. */
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';

const newsSql = statement(
  'approvals.news',
  `
  select e.id from events e
  where e.env = $1 and e.item = $2 and e.entry is not null and not e.is_update and e.actor is distinct from $3 and e.actor_type <> 'system'
    and (e.type in ('reply', 'state') or e.type = 'triage' and e.data ->> 'closed' = 'true')
  order by e.id desc limit 1`,
);

/** Returns the id of the newest reply or change of state that another principal than `actor` made on the item; null: there is none. */
export const readNews = async (
  db: Db | Tx,
  envId: number,
  item: string,
  actor: string | null,
): Promise<number | null> => (await queryRow<{ id: number }>(db, newsSql, [envId, item, actor]))?.id ?? null;
