/** Exact counts per inbox, read from the table `counts`, which the publisher updates. For the live stream, lists and pages. */
import type { InboxDefinition } from '../environments/definition.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';

export interface InboxCounts {
  readonly total: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly unassigned: number;
  readonly snoozed: number;
  readonly triaged: number;
  readonly overdue: number;
}

export type InboxMeasures = Readonly<Record<string, number>>;

/** Reads the counts and the stream's position that they belong to in one snapshot. */
const readCountsSql = statement(
  'live.counts',
  `
  select coalesce(s.position, 0) as position, c.inbox, c.measure, c.n
  from (values ($1::int)) e (env) left join streams s on s.env = e.env left join counts c on c.env = e.env`,
);

interface CountRow {
  readonly position: number;
  readonly inbox: string | null;
  readonly measure: string | null;
  readonly n: number | null;
}

interface CountsSnapshot {
  /** The position of the stream that the counts belong to. */
  readonly position: number;
  readonly inboxes: ReadonlyMap<string, InboxMeasures>;
}

/** Returns all counts of an environment; one statement. */
export const readCounts = async (db: Db, envId: number): Promise<CountsSnapshot> => {
  const found = await queryRows<CountRow>(db, readCountsSql, [envId]);
  const inboxes = new Map<string, Record<string, number>>();
  for (const { inbox, measure, n } of found) {
    if (inbox === null || measure === null || n === null) continue;
    const measures = inboxes.get(inbox) ?? {};
    measures[measure] = n;
    inboxes.set(inbox, measures);
  }
  return { position: found[0]?.position ?? 0, inboxes };
};

/** Returns the counts of one inbox as responses have them, with zero for declared states that have no row. */
export const toInboxCounts = (inbox: InboxDefinition | undefined, measures: InboxMeasures): InboxCounts => {
  const byState: Record<string, number> = {};
  for (const { name } of inbox?.states ?? []) byState[name] = 0;
  for (const [measure, n] of Object.entries(measures))
    if (measure.startsWith('=') && n !== 0) byState[measure.slice(1)] = n;
  const of = (measure: string): number => measures[measure] ?? 0;
  return {
    total: of('total'),
    byState,
    unassigned: of('unassigned'),
    snoozed: of('snoozed'),
    triaged: of('triaged'),
    overdue: of('overdue'),
  };
};
