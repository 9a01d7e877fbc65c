/**
 * Does one chunk of a bulk: the operation over those of its ids that have no result yet. Results are written in the
 * statement of the effect and never twice, so it may run any number of times, also twice at once.
 */
import { readAttachedSeqs, runActionOnItems, type BulkActionRequest } from '../../shared/bulk/runs.ts';
import { withoutSupervision, type Caller } from '../../shared/access/principal.ts';
import { readRequester } from '../../shared/settings/requester.ts';
import {
  finishChunk,
  readPreviousValues,
  readRemainingItems,
  insertForbiddenResults,
  remainingItems,
  takeChunk,
  markChunkWaiting,
  type Chunk,
} from '../../shared/bulk/chunks.ts';
import { publishBulkProgress } from '../../shared/bulk/progress.ts';
import { readBulk } from '../../shared/bulk/queries.ts';
import type { Deps } from '../../shared/deps.ts';
import { isDuplicateBulkResult, performOperation } from '../../shared/items/perform/perform.ts';
import { bulkOperations, type BoundOperation } from '../../shared/items/operations/bulkOperations.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { done, type JobHandler } from '../handler.ts';

/**
 * Items of one statement. Whoever wants to change one of them meanwhile waits for its commit: 35 ms on two cores, with 500
 * items four times as long, and those are done only a twentieth quicker.
 */
const itemsPerStatement = 125;

/** Whoever asked, with the rights of now; null when they may not act here any more. */
const readChunkRequester = async (deps: Deps, env: number, chunk: Chunk): Promise<Caller | null> => {
  const caller = await readRequester(deps, { env, ...chunk });
  return caller === null || !chunk.approved ? caller : { ...caller, principal: withoutSupervision(caller.principal) };
};

const buildChunkOperation = async ({ db }: Deps, env: number, chunk: Chunk): Promise<BoundOperation> => {
  const { undo_of: undoOf, operation } = chunk;
  const { type, ...members } =
    undoOf === null ? operation : ((await readBulk(db, env, undoOf))?.operation ?? operation);
  const known = bulkOperations.get(type);
  if (known === undefined) throw new Error(`A bulk of ${type} can’t be done in chunks.`);
  return undoOf === null ? known.bind(members) : known.restore(await readPreviousValues(db, undoOf, chunk));
};

/** The first `count` of a map. */
const takeFirst = (left: ReadonlyMap<string, number>, count: number): Map<string, number> =>
  new Map([...left].slice(0, count));

/** Rights are looked up for each statement: a chunk may have been held up in between for as long as you like. */
const processItemChunk = async (deps: Deps, env: number, chunk: Chunk, signal: AbortSignal): Promise<void> => {
  const operation = await buildChunkOperation(deps, env, chunk);
  let left = remainingItems(chunk, chunk.ended);
  while (left.size > 0) {
    signal.throwIfAborted();
    const caller = await readChunkRequester(deps, env, chunk);
    if (caller === null) return insertForbiddenResults(deps.db, chunk, left);
    const some = takeFirst(left, itemsPerStatement);
    try {
      await performOperation(deps, caller, operation, [...some.keys()], null, { bulk: { id: chunk.bulk, seqs: some } });
      for (const id of some.keys()) left.delete(id);
    } catch (error) {
      if (!isDuplicateBulkResult(error)) throw error;
      // Another start of this chunk was quicker with at least one of them, so each turn has fewer left.
      left = await readRemainingItems(deps.db, chunk);
    }
  }
};

/** Runs of one turn: cancelling a bulk waits for no more than these. */
const runsPerRound = 20;

/** Each record gets its run; the runs give the items their results, and the last of them ends the chunk. */
const processActionChunk = async (deps: Deps, env: number, chunk: Chunk, signal: AbortSignal): Promise<void> => {
  const attached = await readAttachedSeqs(deps, chunk.bulk, chunk.first, chunk.ids.length);
  const left = remainingItems(chunk, [...chunk.ended, ...attached]);
  while (left.size > 0) {
    signal.throwIfAborted();
    const caller = await readChunkRequester(deps, env, chunk);
    if (caller === null) {
      await insertForbiddenResults(deps.db, chunk, left);
      break;
    }
    const some = takeFirst(left, runsPerRound);
    await runActionOnItems(
      deps,
      caller,
      { bulk: chunk.bulk, operation: chunk.operation as unknown as BulkActionRequest },
      some,
    );
    for (const id of some.keys()) left.delete(id);
    deps.bus.publish(channels.workAvailable, 'jobs');
    deps.bus.publish(channels.workAvailable, 'outbox');
  }
  await markChunkWaiting(deps.db, chunk);
};

export const bulkChunk: JobHandler<'bulkChunk'> = async ({ env, payload, signal }, deps) => {
  const chunk = await takeChunk(deps.db, payload.bulk, payload.chunk, deps.clock.now());
  if (chunk !== null) {
    // It may be about a person, a role or a state that is newer than what this process has read.
    await deps.directory.refresh();
    if (chunk.operation.type === 'action') await processActionChunk(deps, env, chunk, signal);
    else await processItemChunk(deps, env, chunk, signal);
    await finishChunk(deps.db, chunk);
  }
  await publishBulkProgress(deps, env, payload.bulk);
  return done();
};
