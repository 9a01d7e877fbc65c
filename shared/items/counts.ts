/** Exact counts per inbox, from the `counts` table that the publisher moves: for streams and for pages. */
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import type { InboxDefinition } from '../environments/definition.ts';

export interface InboxCounts {
  readonly total: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly unassigned: number;
  readonly snoozed: number;
  readonly triaged: number;
  readonly overdue: number;
}

export type InboxMeasures = Readonly<Record<string, number>>;

/** One snapshot: the counts and the stream's position that they belong to. */
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
  /** Of the stream, that they belong to. */
  readonly position: number;
  readonly inboxes: ReadonlyMap<string, InboxMeasures>;
}

export const readCounts = async (db: Db, env: number): Promise<CountsSnapshot> => {
  const found = await queryRows<CountRow>(db, readCountsSql, [env]);
  const inboxes = new Map<string, Record<string, number>>();
  for (const { inbox, measure, n } of found) {
    if (inbox === null || measure === null || n === null) continue;
    const measures = inboxes.get(inbox) ?? {};
    measures[measure] = n;
    inboxes.set(inbox, measures);
  }
  return { position: found[0]?.position ?? 0, inboxes };
};

/** Every declared state is there, with zero where nothing was ever counted. */
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
