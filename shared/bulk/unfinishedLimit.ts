/** Bounds what one principal has accepted and not done: the items of its bulks. Called before a bulk is accepted. */
import type { Caller } from '../accounts/access/principal.ts';
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';

/** Seconds after which a principal with too much under way may look again. */
const retryAfter = '10';

const unfinishedSql = statement(
  'bulk.unfinishedItems',
  `
  select coalesce(sum(b.total - c.done), 0)::int as n
  from bulks b cross join lateral (
    select coalesce(sum(changed + unchanged + failed), 0)::int as done from bulk_chunks where bulk = b.id
  ) c
  where b.finished_at is null and b.actor = $1`,
);

/** Throws `rate_limited` when the principal would have more than `limits.unfinishedItems` under way. */
export const requireBulkRoom = async (db: Db, { principal }: Caller, items: number): Promise<void> => {
  if (items === 0) return;
  const waiting = (await queryRow<{ n: number }>(db, unfinishedSql, [principal.id]))?.n ?? 0;
  if (waiting + items <= limits.unfinishedItems) return;
  throw fault(
    'rate_limited',
    `${String(waiting)} items of your bulks are not done yet, and at most ${String(limits.unfinishedItems)} may be; wait for some of them.`,
    { headers: { 'retry-after': retryAfter } },
  );
};
