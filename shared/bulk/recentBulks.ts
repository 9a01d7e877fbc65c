/** Finds a bulk that had the same action run as a new one would, for tools of models. Used by api/mcp/repeatedCalls.ts. */
import type { Caller } from '../access/principal.ts';
import { idAt } from '../platform/core/ids.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';

const sameBulkSql = statement(
  'bulk.same',
  `
  select b.id, b.status, b.created_at from bulks b
  where b.env = $1 and b.actor = $2 and b.id >= $3 and b.status <> 'cancelled'
    and b.operation ->> 'type' = 'action' and b.operation ->> 'action' = $4 and (b.operation -> 'input')::jsonb = $5::jsonb
    and ($6::text[] is null or exists (select from bulk_chunks c where c.bulk = b.id and c.ids && $6))
  order by b.id desc limit 1`,
);

interface WantedBulk {
  readonly action: string;
  /** With the action's defaults. */
  readonly input: object;
  /** The items; null: those of a query, of which any bulk may have some. */
  readonly ids: readonly string[] | null;
}

/** Returns the caller’s newest bulk since `since`, in epoch ms, with the same action and input and one of the items; undefined: there is none. */
export const readSameBulk = (
  db: Db,
  { env, principal }: Caller,
  { action, input, ids }: WantedBulk,
  since: number,
): Promise<{ readonly id: string; readonly status: string; readonly created_at: number } | undefined> =>
  queryRow(db, sameBulkSql, [env.id, principal.id, idAt('blk', since), action, JSON.stringify(input), ids]);
