/** Finds orphaned bulks, whose process ended between two statements that belong together. Used by the sweep orphanedBulks. */
import { activeBulkStatuses, activeChunkStatuses, openChunkStatuses } from '../catalogue/states/bulks.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import { undispatchedRunSql } from './cancelledRuns.ts';
import { chunkJobInsert } from './chunkJobSql.ts';

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
