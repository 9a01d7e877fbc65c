/**
 * What has to go on with a bulk whoever has stopped: the runs of a cancelled one that are not dispatched, which a job settles also when a
 * process is killed and while the app is offline, and bulks that are orphaned, as their process ended between two statements that belong
 * together. Used by cancelBulk.ts, by the job bulkChunk and by a sweep.
 */
import {
  waitingChunkStatuses,
  activeBulkStatuses,
  activeChunkStatuses,
  openChunkStatuses,
} from '../catalogue/states/bulks.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import type { Tx, Db } from '../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import { settleRun } from '../runs/call/settleRun.ts';
import { cancelledBulkResolution } from '../runs/call/undispatchedRun.ts';
import { type ActionDeps, type Run, runColumns } from '../runs/model.ts';
import { chunkJobInsert } from './chunkJobSql.ts';

/** Runs that one start of the job settles, which takes about a second: then it is the turn of other bulks. */
const runsPerStart = 100;

/** Returns the condition that a run of a bulk is neither settled nor dispatched. A retry is a request of its own, which the bulk's end does not touch. */
const undispatchedRunSql = (run: string): string =>
  `${run}.status in (${sqlList(openRunStatuses)}) and ${run}.handed_at is null and ${run}.attempt = 1`;

/** A chunk that is pending or running has its job already, which settles the runs at its end. */
const stageEndSql = statement(
  'bulk.stageEnd',
  chunkJobInsert(
    { env: 'w.env', bulk: 'w.bulk', chunk: 'w.n', requestId: '$3', at: '$4' },
    {
      from: `(select $2::text as job, b.env, b.id as bulk, min(c.n) as n from bulks b join bulk_chunks c on c.bulk = b.id
        where b.id = $1 and c.status in (${sqlList(waitingChunkStatuses)}) group by b.env, b.id) w`,
    },
  ),
);

/** Stages the job that settles the runs of a bulk which was cancelled in this transaction, if chunks wait for runs. */
export const stageEndOfRuns = async (tx: Tx, bulk: string, requestId: string | null, at: number): Promise<void> => {
  await executeStatement(tx, stageEndSql, [bulk, newId('job'), requestId, at]);
};

const cancelledRunsSql = statement(
  'bulk.cancelledRuns',
  `
  select ${runColumns} from bulks b join runs r on r.bulk = b.id
  where b.id = $1 and b.cancelled and ${undispatchedRunSql('r')} limit ${String(runsPerStart)}`,
);

/** Settles runs of the bulk that are not dispatched, if it is cancelled. Returns whether none is left. */
export const settleCancelledRuns = async (deps: ActionDeps, bulk: string, signal: AbortSignal): Promise<boolean> => {
  const runs = await queryRows<Run>(deps.db, cancelledRunsSql, [bulk]);
  for (const run of runs) {
    signal.throwIfAborted();
    await settleRun(deps, run, cancelledBulkResolution(run));
  }
  return runs.length < runsPerStart;
};

/** Grace period in ms before a bulk counts as orphaned: the process that accepted it is still at work. */
const orphanGraceMs = 5_000;

const finishedChunksSql = statement(
  'bulk.unfinished',
  `
  select b.id, b.env from bulks b
  where b.finished_at is null and b.status in (${sqlList(activeBulkStatuses)}) and b.created_at < $1
    and not exists (select from bulk_chunks c where c.bulk = b.id and c.status in (${sqlList(openChunkStatuses)}))
  order by b.created_at limit 500`,
);

/** Returns the unfinished bulks whose chunks have all ended. */
export const readUnreportedBulks = (db: Db, now: number): Promise<{ id: string; env: number }[]> =>
  queryRows(db, finishedChunksSql, [now - orphanGraceMs]);

/** Of a cancelled bulk any job settles the runs that are not dispatched, so that one is enough. */
const missingJobsSql = statement(
  'bulk.jobless',
  `
  with active as materialized (
    select b.id, b.cancelled from bulks b where b.finished_at is null and b.status in (${sqlList(activeBulkStatuses)}) and b.created_at < $1)
  (select c.bulk, c.n from active a join bulk_chunks c on c.bulk = a.id where c.status in (${sqlList(activeChunkStatuses)})
  except
  select j.subject, (j.payload ->> 'chunk')::int from active a join staged_jobs j on j.subject = a.id where j.name = 'bulkChunk')
  union
  select a.id, 0 from active a
  where a.cancelled and exists (select from runs r where r.bulk = a.id and ${undispatchedRunSql('r')})
    and not exists (select from staged_jobs j where j.subject = a.id and j.name = 'bulkChunk')
  order by 1, 2 limit 500`,
);
const stageJobsSql = statement(
  'bulk.stage',
  chunkJobInsert(
    { env: 'b.env', bulk: 'b.id', chunk: 'm.n', requestId: 'b.request_id', at: '$4' },
    { from: 'unnest($1::text[], $2::text[], $3::int[]) as m (job, bulk, n) join bulks b on b.id = m.bulk' },
  ),
);

/** Stages a job for each chunk and each cancelled bulk that needs one and has none, and returns how many. A job too many does no harm. */
export const stageMissingJobs = async (db: Db, now: number): Promise<number> => {
  const found = await queryRows<{ bulk: string; n: number }>(db, missingJobsSql, [now - orphanGraceMs]);
  if (found.length === 0) return 0;
  return executeStatement(db, stageJobsSql, [
    found.map(() => newId('job')),
    found.map(({ bulk }) => bulk),
    found.map(({ n }) => n),
    now,
  ]);
};
