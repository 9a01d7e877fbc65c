/** The statements of a chunk: start, results, end. Used by the job bulkChunk, by progress.ts and by a sweep. */
import { revokedMessage } from '../accounts/requester.ts';
import { limits } from '../catalogue/limits.ts';
import { activeChunkStatuses, bulkChunks, bulks, waitingChunkStatuses } from '../catalogue/states/bulks.ts';
import { sqlList, statesBefore } from '../catalogue/states/machine.ts';
import { openRunStatuses } from '../catalogue/states/runs.ts';
import type { PreviousValues } from '../items/operations/restore.ts';
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { bulkResultInsert, sameColumns } from '../platform/journal/inserts.ts';
import type { RunApprover } from '../runs/model.ts';
import { cancelledMessage } from './queries.ts';
import type { BulkOperationBody } from './schema.ts';

export interface Chunk {
  readonly bulk: string;
  readonly n: number;
  readonly operation: BulkOperationBody;
  readonly actor_type: string;
  readonly actor: string;
  readonly undo_of: string | null;
  /** Who approved it; null: nobody had to. */
  readonly approved_by: RunApprover | null;
  readonly request_id: string | null;
  readonly reason: string | null;
  readonly address: string | null;
  /** The seq of the first of `ids`. */
  readonly first: number;
  readonly ids: readonly string[];
  /** Seqs that have a result, from an earlier start of the chunk. */
  readonly ended: readonly number[];
}

/** Locks the bulk's row before the chunk's, as cancelling does: the other order could deadlock. */
const takeChunkSql = statement(
  'bulk.take',
  `
  with started as (
    update bulks set status = 'running', started_at = $3 where id = $1 and status in (${sqlList(statesBefore(bulks, 'running'))}) returning id
  ), taken as (
    update bulk_chunks set status = 'running'
    where bulk = $1 and n = $2 and status in (${sqlList(statesBefore(bulkChunks, 'running'))}) and (select count(*) from started) >= 0
  )
  select c.bulk, c.n, b.operation, b.actor_type, b.actor, b.undo_of, b.approved_by, b.request_id, b.address, b.reason, c.first, c.ids,
    array(select seq from bulk_results where bulk = $1 and seq >= c.first and seq < c.first + cardinality(c.ids)) as ended
  from bulks b join bulk_chunks c on c.bulk = b.id
  where b.id = $1 and c.n = $2 and c.status in (${sqlList(activeChunkStatuses)})`,
);

/** Starts a chunk, for the first time or once more, and returns it; null when the chunk has ended. */
export const takeChunk = async (db: Db, bulk: string, n: number, at: number): Promise<Chunk | null> =>
  (await queryRow<Chunk>(db, takeChunkSql, [bulk, n, at])) ?? null;

const endedSeqsSql = statement('bulk.ended', 'select seq from bulk_results where bulk = $1 and seq >= $2 and seq < $3');

/** Returns the ids without a result, with their seqs. */
export const remainingItems = ({ ids, first }: Chunk, ended: Iterable<number>): Map<string, number> => {
  const over = new Set(ended);
  return new Map(ids.map((id, i): [string, number] => [id, first + i]).filter(([, seq]) => !over.has(seq)));
};

/** Reads the results and returns the ids without one, with their seqs. */
export const readRemainingItems = async (db: Db, chunk: Chunk): Promise<Map<string, number>> => {
  const found = await queryRows<{ seq: number }>(db, endedSeqsSql, [
    chunk.bulk,
    chunk.first,
    chunk.first + chunk.ids.length,
  ]);
  return remainingItems(
    chunk,
    found.map(({ seq }) => seq),
  );
};

const insertSkippedSql = statement(
  'bulk.skip',
  bulkResultInsert(
    { bulk: '$1', ...sameColumns(['seq', 'item']), outcome: '$4', error: '$5', code: '$4' },
    { from: 'unnest($2::int[], $3::text[]) as r (seq, item)', skipExisting: true },
  ),
);
const insertSkippedResults =
  (outcome: string, message: string) =>
  async (db: Db, { bulk }: Chunk, left: ReadonlyMap<string, number>): Promise<void> => {
    await executeStatement(db, insertSkippedSql, [bulk, [...left.values()], [...left.keys()], outcome, message]);
  };

/** Inserts `cancelled` results for items that a cancelled bulk has not begun. */
export const insertCancelledResults = insertSkippedResults('cancelled', cancelledMessage);

/** Inserts `forbidden` results for items of a requester who may not act here any more. */
export const insertForbiddenResults = insertSkippedResults('forbidden', revokedMessage);

const finishChunkSql = statement(
  'bulk.end',
  `
  update bulk_chunks c set status = 'done', changed = r.changed, unchanged = r.unchanged, failed = r.failed
  from (
    select count(*) as n, count(*) filter (where outcome = 'changed') as changed, count(*) filter (where outcome = 'unchanged') as unchanged,
      count(*) filter (where outcome not in ('changed', 'unchanged')) as failed
    from bulk_results where bulk = $1 and seq >= $3 and seq < $4
  ) r
  where c.bulk = $1 and c.n = $2 and c.status in (${sqlList(statesBefore(bulkChunks, 'done'))}) and r.n = cardinality(c.ids)`,
);

const markWaitingSql = statement(
  'bulk.wait',
  `
  update bulk_chunks c set status = 'waiting' where c.bulk = $1 and c.n = $2 and c.status in (${sqlList(statesBefore(bulkChunks, 'waiting'))})`,
);

/** Marks a chunk as waiting: its items have their results or wait for runs, which end the chunk. */
export const markChunkWaiting = async (db: Db, { bulk, n }: Chunk): Promise<void> => {
  await executeStatement(db, markWaitingSql, [bulk, n]);
};

/** Updates the counts of the chunks that a run has given results to, and ends those that are complete. */
const updateCountsSql = statement(
  'bulk.count',
  `
  update bulk_chunks c set changed = r.changed, unchanged = 0, failed = r.failed, status = case when r.n = cardinality(c.ids) then 'done' else c.status end
  from (
    select k.n as chunk, count(b.seq) as n, count(*) filter (where b.outcome = 'changed') as changed, count(*) filter (where b.outcome <> 'changed') as failed
    from bulk_chunks k join bulk_results b on b.bulk = k.bulk and b.seq >= k.first and b.seq < k.first + cardinality(k.ids)
    where k.bulk = $1 and k.n in (select i.seq / ${String(limits.bulkChunk)} from run_items i where i.run = $2)
    group by k.n
  ) r
  where c.bulk = $1 and c.n = r.chunk and c.status in (${sqlList(statesBefore(bulkChunks, 'done'))})`,
);

export const updateCountsForRun = async (db: Db, bulk: string, ended: string): Promise<void> => {
  await executeStatement(db, updateCountsSql, [bulk, ended]);
};

const finishWaitingSql = statement(
  'bulk.recount',
  `
  update bulk_chunks c set changed = r.changed, unchanged = 0, failed = r.failed, status = 'done'
  from (
    select k.bulk, k.n as chunk, count(b.seq) as n, count(*) filter (where b.outcome = 'changed') as changed, count(*) filter (where b.outcome <> 'changed') as failed
    from bulks u join bulk_chunks k on k.bulk = u.id join bulk_results b on b.bulk = k.bulk and b.seq >= k.first and b.seq < k.first + cardinality(k.ids)
    where u.finished_at is null and k.status in (${sqlList(waitingChunkStatuses)})
      and not exists (select from runs a where a.bulk = u.id and a.status in (${sqlList(openRunStatuses)}))
    group by k.bulk, k.n
  ) r
  where c.bulk = r.bulk and c.n = r.chunk and c.status in (${sqlList(waitingChunkStatuses)}) and r.n = cardinality(c.ids)`,
);

/**
 * Ends the waiting chunks whose last run ended in a process that was killed before it updated them. While a bulk has unfinished
 * runs, each of which updates its chunk when it ends, its chunks are left alone: they may have results by the 100,000.
 */
export const finishWaitingChunks = (db: Db): Promise<number> => executeStatement(db, finishWaitingSql);

/** Ends a chunk whose items all have results, and counts these, so that the counts are right after a killed start, too. */
export const finishChunk = async (db: Db, { bulk, n, first, ids }: Chunk): Promise<void> => {
  await executeStatement(db, finishChunkSql, [bulk, n, first, first + ids.length]);
};

const previousValuesSql = statement(
  'bulk.formers',
  `
  select item, before, after from (
    select item, before, after from bulk_results where bulk = $1 and outcome = 'changed' order by seq offset $2) later
  where item = any ($3::text[]) limit $4`,
);

/** Returns what the undone bulk changed on the chunk's items. The ids of an undo are those of that bulk's changed ids that its author saw, in order. */
export const readPreviousValues = async (
  db: Db,
  undoOf: string,
  { first, ids }: Chunk,
): Promise<Map<string, PreviousValues>> => {
  const found = await queryRows<PreviousValues & { item: string }>(db, previousValuesSql, [
    undoOf,
    first,
    ids,
    ids.length,
  ]);
  return new Map(found.map(({ item, before, after }) => [item, { before, after }]));
};
