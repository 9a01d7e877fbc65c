/** Reads what entries of timelines have become since they were written: replies, actions, approvals, reports. For timelines and histories. */
import type { Db } from '../../platform/db/knex.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';

interface EntryRow {
  /** The event by which it was written. */
  readonly event: number;
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** Types of the entries that are written anew. */
const updatedTypes: readonly string[] = ['reply', 'action', 'approval', 'occurred'];

/** Looks from the oldest of the entries on. */
const latestSql = statement(
  'timeline.latest',
  `
  select w.entry, u.data from unnest($2::text[]) as w(entry) cross join lateral (
    select u.data from events u where u.env = $1 and u.entry = w.entry and u.is_update and u.id > $3 order by u.id desc limit 1) u`,
);

/** Returns the rows with their latest data. */
export const withLatestData = async <R extends EntryRow>(db: Db, envId: number, rows: readonly R[]): Promise<R[]> => {
  const updated = rows.filter(({ type }) => updatedTypes.includes(type));
  if (updated.length === 0) return [...rows];
  const first = Math.min(...updated.map(({ event }) => event));
  const entries = updated.map(({ id }) => id);
  const found = await queryRows<{ entry: string; data: R['data'] }>(db, latestSql, [envId, entries, first]);
  const latest = new Map(found.map(({ entry, data }) => [entry, data]));
  return rows.map((row) => ({ ...row, data: latest.get(row.id) ?? row.data }));
};
