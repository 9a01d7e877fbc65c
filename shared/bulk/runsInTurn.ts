/**
 * The turns of runs: bulks of one principal make runs only while few of its earlier ones are under way, so that the runs of
 * others need not wait behind all of them. Used by the job bulkChunk and by workers/outbox/enqueuer.ts.
 */
import { limits } from '../catalogue/limits.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { activeRunStatuses } from '../catalogue/states/runs.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRow, statement } from '../platform/db/sql.ts';

/** Unfinished runs that are looked at: while the app is offline there may be any number that wait for it. */
const lookedAt = 5 * limits.runsInTurn;

/** ms by which the job of a run that was offered to a process of the API is due again: it is under way, too. */
const offeredMs = 2_000;

/**
 * Returns the text that counts the runs under way of a principal's bulks: with the app, or about to be. Those that wait for
 * the app to be back, or for others of their record, are not under way.
 */
export const runsUnderWaySql = ({ env, actor, now }: Readonly<Record<'env' | 'actor' | 'now', string>>): string => `
  select (count(*) filter (where o.handed_at is not null or j.due_at <= ${now} + ${String(offeredMs)}))::int as n
  from (
    select r.id, r.handed_at from runs r
    where r.env = ${env} and r.actor = ${actor} and r.bulk is not null and r.status in (${sqlList(activeRunStatuses)})
    limit ${String(lookedAt)}
  ) o left join staged_jobs j on j.subject = o.id and j.name = 'actionRun'`;

const underWaySql = statement(
  'bulk.runsUnderWay',
  `
  select n, (select cancelled from bulks where id = $4) as cancelled
  from (${runsUnderWaySql({ env: '$1', actor: '$2', now: '$3::bigint' })}) counted`,
);

interface RunTurn {
  /** Whether the bulks of the principal may make further runs now. */
  readonly hasRoom: boolean;
  /** Whether the bulk was cancelled, so that it makes none. */
  readonly isCancelled: boolean;
}

/** Returns whether a bulk may make further runs. */
export const readRunTurn = async (
  db: Db,
  envId: number,
  { bulk, actor }: { readonly bulk: string; readonly actor: string },
  now: number,
): Promise<RunTurn> => {
  const found = await queryRow<{ n: number; cancelled: boolean }>(db, underWaySql, [envId, actor, now, bulk]);
  return { hasRoom: (found?.n ?? 0) < limits.runsInTurn, isCancelled: found?.cancelled ?? false };
};
