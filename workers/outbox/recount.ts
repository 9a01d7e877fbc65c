/**
 * Counts the active items and the tags of environments anew whose counts may have missed some: after the migration of each,
 * and after a release without them has published or written. Used by publisher.ts.
 */
import type { Db } from '../../shared/platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../../shared/platform/db/sql.ts';
import { dbNowSql, leaderLeaseMs, type PublisherLease } from '../../shared/platform/leases/leaderLease.ts';

const outdatedSql = statement(
  'publisher.outdated',
  `select env from streams where counted <> position + overdue_mark and ($1::int[] is null or outbox_partition(env) = any ($1)) order by env`,
);

/**
 * In one snapshot: what the items say, less what the outbox is still going to add. Deltas only ever add, so a difference found
 * here stays the same whatever is committed meanwhile. Rows of a release that wrote no deltas of active items are in the
 * items already, and change nothing when they are taken.
 */
const recountSql = statement(
  'publisher.recount',
  `
  with lease as (
    update leases set until = ${dbNowSql} + ${String(leaderLeaseMs)}
    where name = $1 and holder = $2 and fence = $3 and until > ${dbNowSql}
    returning name
  ), head as (
    select env, position, overdue_mark from streams where env = $4 and exists (select from lease)
  ), present as (
    select i.inbox, count(*) as active, count(*) filter (where i.assignee is null) as unassigned,
      count(*) filter (where i.due_at <= h.overdue_mark) as overdue
    from head h join items i on i.env = h.env where not i.closed and i.snoozed_until is null group by i.inbox
  ), tagged as (
    select i.inbox, t.tag, count(*) as n
    from head h join items i on i.env = h.env cross join lateral unnest(i.tags) t (tag) where i.tags <> '{}' group by i.inbox, t.tag
  ), told as (
    select inbox, m.measure, m.n
    from present cross join lateral (values ('active', active), ('activeUnassigned', unassigned), ('activeOverdue', overdue)) m (measure, n)
    union all
    select c.inbox, c.measure, -c.n from head h join counts c on c.env = h.env
    where c.measure in ('active', 'activeUnassigned', 'activeOverdue')
    union all
    select o.inbox, d.key, -d.value::bigint
    from head h join outbox o on o.env = h.env cross join lateral jsonb_each_text(o.deltas) d
    where d.key in ('active', 'activeUnassigned') or starts_with(d.key, '#')
    union all
    select o.inbox, 'activeOverdue', coalesce(o.awake_from <= h.overdue_mark, false)::int - coalesce(o.awake_to <= h.overdue_mark, false)::int
    from head h join outbox o on o.env = h.env where o.inbox is not null
    union all
    select inbox, '#' || tag, n from tagged
    union all
    select c.inbox, '#' || c.tag, -c.n from head h join tag_counts c on c.env = h.env
  ), differing as (
    select inbox, measure, sum(n)::bigint as n from told group by inbox, measure having sum(n) <> 0
  ), counted as (
    insert into counts (env, inbox, measure, n)
    select h.env, d.inbox, d.measure, d.n from head h cross join differing d where not starts_with(d.measure, '#')
    on conflict (env, inbox, measure) do update set n = counts.n + excluded.n
  ), counted_tags as (
    insert into tag_counts (env, inbox, tag, n)
    select h.env, d.inbox, substr(d.measure, 2), d.n from head h cross join differing d where starts_with(d.measure, '#')
    on conflict (env, inbox, tag) do update set n = tag_counts.n + excluded.n
  ), gone as (
    -- A publisher without the table has put tags among the counts.
    delete from counts c using head h where c.env = h.env and starts_with(c.measure, '#')
  )
  update streams s set counted = h.position + h.overdue_mark from head h where s.env = h.env`,
);

/** Makes the counts of active items right where they may be wrong; one statement for each environment, under the publisher's lease. */
export const recountOutdated = async (db: Db, { name, holder, fence, partitions }: PublisherLease): Promise<void> => {
  for (const { env } of await queryRows<{ env: number }>(db, outdatedSql, [partitions]))
    await executeStatement(db, recountSql, [name, holder, fence, env]);
};
