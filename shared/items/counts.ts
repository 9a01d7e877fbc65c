/** Exact counts per inbox, read from the table `counts`, which the publisher updates. For the live stream, `GET /counts` and pages. */
import type { InboxDefinition } from '../app/manifest/definition.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';

export interface InboxCounts {
  readonly total: number;
  /** By the kind of their states. */
  readonly open: number;
  readonly waiting: number;
  readonly closed: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly unassigned: number;
  readonly unclaimed: number;
  readonly snoozed: number;
  readonly triaged: number;
  readonly overdue: number;
  /** Items that are neither closed nor snoozed. */
  readonly active: { readonly total: number; readonly unassigned: number; readonly overdue: number };
}

export type InboxMeasures = Readonly<Record<string, number>>;

/** Reads the counts and the stream's position that they belong to in one snapshot. */
const readCountsSql = statement(
  'live.counts',
  `
  select coalesce(s.position, 0) as position, c.inbox, c.measure, c.n
  from (values ($1::int)) e (env) left join streams s on s.env = e.env left join counts c on c.env = e.env`,
);

/** So many unpublished changes at most are added to the counts by a read. */
const unpublishedMax = 1_000;

/** Reads the counts with the changes that the publisher has not taken yet; with too many of these, as of the oldest one. */
const readPresentCountsSql = statement(
  'items.counts',
  `
  with waiting as materialized (
    select env, inbox, deltas, due_from, due_to, awake_from, awake_to from outbox limit ${String(unpublishedMax + 1)}
  ), few as (
    select w.*, s.overdue_mark as mark from waiting w join streams s on s.env = w.env
    where w.env = $1 and w.inbox is not null and (select count(*) from waiting) <= ${String(unpublishedMax)}
  ), told as (
    select inbox, measure, n from counts where env = $1
    union all select inbox, d.key, d.value::bigint from few cross join lateral jsonb_each_text(deltas) d
    union all select inbox, 'overdue', coalesce(due_to <= mark, false)::int - coalesce(due_from <= mark, false)::int from few
    union all select inbox, 'activeOverdue', coalesce(awake_to <= mark, false)::int - coalesce(awake_from <= mark, false)::int from few
  )
  select case when (select count(*) from waiting) > ${String(unpublishedMax)} then (select at from outbox order by id limit 1) end as at,
    t.inbox, t.measure, t.n
  from (values (1)) once left join (select inbox, measure, sum(n)::bigint as n from told group by inbox, measure) t on true`,
);

interface CountRow {
  readonly inbox: string | null;
  readonly measure: string | null;
  readonly n: number | null;
}

type Counts = ReadonlyMap<string, InboxMeasures>;

interface CountsSnapshot {
  /** The position of the stream that the counts belong to. */
  readonly position: number;
  readonly inboxes: Counts;
}

const groupByInbox = (rows: readonly CountRow[]): Counts => {
  const inboxes = new Map<string, Record<string, number>>();
  for (const { inbox, measure, n } of rows) {
    if (inbox === null || measure === null || n === null) continue;
    const measures = inboxes.get(inbox) ?? {};
    measures[measure] = n;
    inboxes.set(inbox, measures);
  }
  return inboxes;
};

/** Returns all counts of an environment; one statement. */
export const readCounts = async (db: Db, envId: number): Promise<CountsSnapshot> => {
  const found = await queryRows<CountRow & { readonly position: number }>(db, readCountsSql, [envId]);
  return { position: found[0]?.position ?? 0, inboxes: groupByInbox(found) };
};

/**
 * Returns all counts of an environment with everything that has committed, and the time at which they are exact (what is
 * overdue is at most a second older); `now`: a time before the read. One statement.
 */
export const readPresentCounts = async (
  db: Db,
  envId: number,
  now: number,
): Promise<{ readonly at: number; readonly inboxes: Counts }> => {
  const found = await queryRows<CountRow & { readonly at: number | null }>(db, readPresentCountsSql, [envId]);
  return { at: Math.min(found[0]?.at ?? now, now), inboxes: groupByInbox(found) };
};

/** Returns the counts of one inbox as responses have them, with zero for declared states that have no row. */
export const toInboxCounts = (inbox: InboxDefinition | undefined, measures: InboxMeasures): InboxCounts => {
  const byState: Record<string, number> = {};
  for (const { name } of inbox?.states ?? []) byState[name] = 0;
  for (const [measure, n] of Object.entries(measures))
    if (measure.startsWith('=') && n !== 0) byState[measure.slice(1)] = n;
  const of = (measure: string): number => measures[measure] ?? 0;
  const kinds = { open: 0, waiting: 0, closed: 0 };
  for (const [state, n] of Object.entries(byState)) kinds[inbox?.stateOf(state)?.kind ?? 'open'] += n;
  return {
    total: of('total'),
    ...kinds,
    byState,
    unassigned: of('unassigned'),
    unclaimed: of('total') - of('claimed'),
    snoozed: of('snoozed'),
    triaged: of('triaged'),
    overdue: of('overdue'),
    active: { total: of('active'), unassigned: of('activeUnassigned'), overdue: of('activeOverdue') },
  };
};
