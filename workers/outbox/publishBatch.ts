/**
 * The statement by which the publisher moves committed events from `outbox` into the live stream and the counts. Used by
 * publisher.ts.
 *
 * Why no event is missed or published twice: a row is taken by deleting it, whatever its id, as soon as it is visible; there is
 * no "last id" that a late commit could stay behind of. Per item the order is that of its versions: a later version is
 * written after the earlier one has committed and has the greater id, so a snapshot that shows it shows the earlier one too.
 *
 * Why a message is written once: the change leaves its parts in `stream_parts`, where they stay; rows of outbox and stream lead to
 * them by their id. Releases before 0079 leave them in the row of the outbox: then the row of the stream has them.
 *
 * Why only one process writes an environment: the statement first renews the lease under its fence, which locks the lease's row
 * until it has committed; without that row it takes nothing. Who gives partitions to others ends the fence first, and so waits for
 * that commit: the next holder's snapshot is younger. After an error the publisher acquires the lease again (another fence), so one
 * fence has never two statements on the way: each one's snapshot shows everything that the one before it wrote.
 *
 * Why `overdue` is exact: let D(i) be item i's effective deadline (null when closed) after its last taken event, and
 * mark the environment's `overdue_mark`. Kept true: overdue = number of items with D(i) <= mark.
 * (1) A taken event moves D(i) from due_from to due_to, and the taken events of an item are always the first ones of its
 *     history, so adding [due_to <= mark] − [due_from <= mark] keeps it true, in any order inside a batch.
 * (2) The mark moves to `now` only when this statement took fewer rows than it might: then it took every row that its
 *     snapshot shows. Item, event and outbox row commit together, so in that snapshot the items' deadlines are D; those
 *     in (mark, now], counted in the same snapshot, are just what the count lacks. Events of a later commit are in
 *     neither, and come with the new mark.
 * Where no deadline passed the mark stays: nothing to write for environments at rest. The same holds of `activeOverdue`, with
 * awake_from and awake_to, the deadlines of items that are not snoozed. Releases without these columns move neither:
 * `streams.counted` shows it, and recount.ts makes the counts right.
 */
import type { Db } from '../../shared/platform/db/knex.ts';
import { timelineSql } from '../../shared/platform/db/serverState.ts';
import { queryRows, statement, type Statement } from '../../shared/platform/db/sql.ts';
import { partsOf } from '../../shared/platform/journal/inserts.ts';
import { dbNowSql, leaderLeaseMs, type PublisherLease } from '../../shared/platform/leases/leaderLease.ts';
import type { StreamHead } from './toldPositions.ts';

export const batchRows = 500;
/** A message to Redis is closed when it has reached this size: 32 MB waiting for a subscriber make Redis drop it. */
const messageBytesMax = 1_000_000;

/** The rows that the statement takes. $6: the partitions of the lease, in the order in which the statement reads them. */
interface Share {
  readonly name: string;
  /** The rows to take, the oldest of an environment first. */
  readonly next: string;
  /** Whether an environment is of the share. */
  readonly has: (env: string) => string;
}

/** A worker that publishes alone takes the rows of all partitions. */
const whole: Share = {
  name: 'publisher.batch',
  next: `select ctid from outbox where exists (select from lease) order by id limit ${String(batchRows)}`,
  has: () => 'true',
};
/** One of several reads by an index that begins with the partition, and so none of the others' rows, however many wait. */
const part: Share = {
  name: 'publisher.batchOfPart',
  next: `
      select o.ctid from unnest($6::int[]) own (partition)
      cross join lateral (select ctid from outbox where outbox_partition(env) = own.partition order by id limit ${String(batchRows)}) o
      where exists (select from lease) limit ${String(batchRows)}`,
  has: (env) => `outbox_partition(${env}) = any ($6)`,
};

const takenSql = ({ next }: Share): string => `
  lease as (
    update leases set until = ${dbNowSql} + ${String(leaderLeaseMs)}
    where name = $1 and holder = $2 and fence = $3 and until > ${dbNowSql} and ($5::text is null or ${timelineSql} = $5)
    returning not exists (select from leases o where o.name like 'publisher %' and o.until <= ${dbNowSql}) as shared
  ), taken as materialized (
    delete from outbox
    where ctid = any (array(${next}))
    returning id, env, at, parts, inbox, deltas, due_from, due_to, awake_from, awake_to, whole, traceparent
  )`;

/**
 * $4: the time up to which deadlines count as passed; null: leave the mark. The order by is for the planner: without it
 * any index of items that begins with (env, inbox) is as good as items_due while the table is small.
 */
const countChangesSql = ({ has }: Share): string => `
  passed as materialized (
    select known.env, known.inbox, found.n, found.awake
    from (select env, inbox from counts union select env, inbox from taken where inbox is not null) known
    left join streams s on s.env = known.env
    cross join lateral (
      select count(*) as n, count(*) filter (where snoozed_until is null) as awake from (
        select snoozed_until from items i
        where i.env = known.env and i.inbox = known.inbox and i.due_at > coalesce(s.overdue_mark, 0) and i.due_at <= $4 and not i.closed
        order by i.due_at
      ) ordered
    ) found
    where $4::bigint is not null and ${has('known.env')} and exists (select from lease) and (select count(*) from taken) < ${String(batchRows)} and found.n > 0
  ), changed as (
    select env, inbox, measure, sum(n)::bigint as n
    from (
      select t.env, t.inbox, d.key as measure, d.value::bigint * t.n as n
      from (select env, inbox, deltas, count(*) as n from taken where inbox is not null group by env, inbox, deltas) t
      cross join lateral jsonb_each_text(t.deltas) d
      union all
      select t.env, t.inbox, 'overdue', coalesce(t.due_to <= s.overdue_mark, false)::int - coalesce(t.due_from <= s.overdue_mark, false)::int
      from taken t join streams s on s.env = t.env
      where t.inbox is not null and (t.due_from is not null or t.due_to is not null)
      union all
      select t.env, t.inbox, 'activeOverdue', coalesce(t.awake_to <= s.overdue_mark, false)::int - coalesce(t.awake_from <= s.overdue_mark, false)::int
      from taken t join streams s on s.env = t.env
      where t.inbox is not null and (t.awake_from is not null or t.awake_to is not null)
      union all
      select env, inbox, 'overdue', n from passed
      union all
      select env, inbox, 'activeOverdue', awake from passed
    ) every
    group by env, inbox, measure having sum(n) <> 0
  ), counted as (
    insert into counts (env, inbox, measure, n) select env, inbox, measure, n from changed where not starts_with(measure, '#')
    on conflict (env, inbox, measure) do update set n = counts.n + excluded.n
    returning env, inbox, measure, n
  ), tagged as (
    insert into tag_counts (env, inbox, tag, n) select env, inbox, substr(measure, 2), n from changed where starts_with(measure, '#')
    on conflict (env, inbox, tag) do update set n = tag_counts.n + excluded.n
  )`;

const streamInsertSql = `
  sums as (select env, count(*) as n, bool_or(deltas is not null and not whole) as partial from taken group by env),
  heads as (
    insert into streams (env, position, overdue_mark, counted)
    select env, coalesce(sums.n, 0), marked.mark, case when sums.partial then -1 else coalesce(sums.n, 0) + marked.mark end
    from sums full join (select distinct env, $4::bigint as mark from passed) p using (env)
    cross join lateral (select coalesce(p.mark, 0) as mark) marked
    on conflict (env) do update set position = streams.position + excluded.position,
      overdue_mark = greatest(streams.overdue_mark, excluded.overdue_mark),
      counted = case when excluded.counted >= 0 and streams.counted = streams.position + streams.overdue_mark
        then streams.position + excluded.position + greatest(streams.overdue_mark, excluded.overdue_mark) else -1 end
    returning env, position
  ), numbered as materialized (
    select t.env, h.position - s.n + row_number() over (partition by t.env order by t.id) as position, t.at, t.id, t.parts
    from taken t join heads h using (env) join sums s using (env)
  ), written as (
    insert into stream (env, position, at, parts, id) select env, position, at, coalesce(parts, ''), id from numbered
  )`;

/** First a row with what else there is to say (`BatchHead`), then one for each row taken, by environment and position. */
const takeBatchSql = (share: Share): Statement =>
  statement(
    share.name,
    `
  with ${takenSql(share)}, ${countChangesSql(share)}, ${streamInsertSql},
  inboxes as (
    select env, inbox, json_object_agg(measure, coalesce(c.n, o.n)) as measures
    from counted c
    full join (select o.* from counts o join (select distinct env, inbox from changed where not starts_with(measure, '#')) k using (env, inbox)) o using (env, inbox, measure)
    group by env, inbox
  ), told as (
    select h.env, e.epoch, h.position, (select json_object_agg(i.inbox, i.measures)::text from inboxes i where i.env = h.env) as counts
    from heads h join environments e on e.id = h.env
  )
  select null::int as env, null::bigint as position, null::bigint as at, json_build_object('held', exists (select from lease), 'shared', (select shared from lease),
    'heads', (select json_agg(told order by env) from told), 'traces', (select array_agg(distinct traceparent) from taken where traceparent is not null))::text as parts
  union all
  select env, position, at, ${partsOf('numbered')} from numbered
  order by env nulls first, position`,
  );
const [takeWholeSql, takePartSql] = [takeBatchSql(whole), takeBatchSql(part)];

interface BatchRow {
  readonly env: number | null;
  readonly at: number;
  readonly parts: string;
}

/** How far a stream has come, and the counts of its inboxes that changed, as JSON. */
interface ToldHead extends StreamHead {
  readonly counts: string | null;
}

interface BatchHead {
  readonly held: boolean;
  readonly shared: boolean | null;
  readonly heads: readonly ToldHead[] | null;
  readonly traces: readonly string[] | null;
}

/** A `LiveBatch` (shared/platform/redis/bus.ts) as JSON. */
interface LiveBatchMessage {
  readonly env: number;
  readonly text: string;
}

interface PublishedBatch {
  /** False: the lease was lost, or PostgreSQL is another one than it was acquired on, and nothing was done. */
  readonly leaseHeld: boolean;
  /** False: the lease of another publisher has run out, and all have to share anew. */
  readonly shared: boolean;
  /** Rows taken; `batchRows` when there may be more. */
  readonly taken: number;
  readonly messages: readonly LiveBatchMessage[];
  /** How far the streams have come that the batch has to do with. */
  readonly heads: readonly StreamHead[];
  /** The traceparents of the requests that the rows follow from, where they are traced. */
  readonly traces: readonly string[];
}

interface BatchOptions {
  /** Epoch ms. */
  readonly now: number;
  /** True: the overdue marks move to `now`. */
  readonly advance: boolean;
}

/** Returns the messages of an environment. The columns are JSON already: they are joined, never parsed. */
const messagesOf = (
  { env, epoch, position, counts }: ToldHead,
  rows: readonly BatchRow[],
  now: number,
): LiveBatchMessage[] => {
  let cut: string[] = [];
  const cuts = rows.length > 0 || counts !== null ? [cut] : [];
  let size = 0;
  for (const { at, parts } of rows) {
    if (size >= messageBytesMax) {
      cuts.push((cut = []));
      size = 0;
    }
    cut.push(`{"at":${String(at)},"parts":${parts}}`);
    size += Buffer.byteLength(parts);
  }
  let first = position - rows.length + 1;
  return cuts.map((own, i) => {
    const last = i === cuts.length - 1 ? counts : null;
    const text = `{"kind":"batch","epoch":${String(epoch)},"first":${String(first)},"rows":[${own.join(',')}],"counts":${last ?? '{}'},"at":${String(now)}}`;
    first += own.length;
    return { env, text };
  });
};

/**
 * Moves up to `batchRows` events, and the overdue marks to `now` when `advance` is set; commits. The counts go with the
 * last message of an environment; a message may have counts alone (`rows` empty, `first` the position to come).
 */
export const publishBatch = async (
  db: Db,
  lease: PublisherLease & { readonly timeline?: string | null },
  { now, advance }: BatchOptions,
): Promise<PublishedBatch> => {
  const { name, holder, fence, timeline = null, partitions } = lease;
  const values = [name, holder, fence, advance ? now : null, timeline];
  const [head, ...rows] = await (partitions === null
    ? queryRows<BatchRow>(db, takeWholeSql, values)
    : queryRows<BatchRow>(db, takePartSql, [...values, partitions]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement's own JSON
  const { held, shared, heads, traces } = JSON.parse(head?.parts ?? '') as BatchHead;
  return {
    leaseHeld: held,
    shared: shared === true,
    taken: rows.length,
    heads: heads ?? [],
    traces: traces ?? [],
    messages: (heads ?? []).flatMap((told) =>
      messagesOf(
        told,
        rows.filter(({ env }) => env === told.env),
        now,
      ),
    ),
  };
};
