/**
 * The runs of a cancelled bulk that are not dispatched: cancelling stages a job that settles them, so that they end also when a
 * process is killed, and while the app is offline. Used by cancelBulk.ts, by the job bulkChunk and by a sweep.
 */
import { waitingChunkStatuses } from '../catalogue/states/bulks.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import type { Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import { settleRun } from '../runs/call/settleRun.ts';
import { cancelledBulkResolution } from '../runs/call/undispatchedRun.ts';
import { type ActionDeps, type Run, runColumns } from '../runs/model.ts';
import { chunkJobInsert } from './chunkJobSql.ts';

/** Runs that one start of the job settles, which takes about a second: then it is the turn of other bulks. */
const runsPerStart = 100;

/** Returns the condition that a run of a bulk is neither settled nor dispatched. A retry is a request of its own, which the bulk's end does not touch. */
export const undispatchedRunSql = (run: string): string =>
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
