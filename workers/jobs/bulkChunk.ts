/**
 * Processes one chunk of a bulk: the operation over the ids that have no result yet. Results are written in the statement of
 * the effect and never twice, so the job may run any number of times, also twice at once.
 */
import { type Caller, reasonFault, withoutSupervision } from '../../shared/accounts/access/principal.ts';
import { readRequester } from '../../shared/accounts/requester.ts';
import { settleCancelledRuns } from '../../shared/bulk/cancelledRuns.ts';
import {
  finishChunk,
  insertCancelledResults,
  insertForbiddenResults,
  markChunkWaiting,
  readPreviousValues,
  readRemainingItems,
  remainingItems,
  takeChunk,
  type Chunk,
} from '../../shared/bulk/chunks.ts';
import { publishBulkProgress } from '../../shared/bulk/progress.ts';
import { readBulk } from '../../shared/bulk/queries.ts';
import { readAttachedSeqs, runActionOnItems, type BulkActionRequest } from '../../shared/bulk/runs.ts';
import { readRunTurn } from '../../shared/bulk/runsInTurn.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Deps } from '../../shared/deps.ts';
import type { BoundOperation } from '../../shared/items/operation.ts';
import { bulkOperations } from '../../shared/items/operations/bulkOperations.ts';
import { isDuplicateBulkResult, performOperation } from '../../shared/items/perform/perform.ts';
import { channels, outboxOf } from '../../shared/platform/redis/bus.ts';
import type { Span } from '../../shared/platform/tracing/span.ts';
import { runApprover } from '../../shared/runs/model.ts';
import type { BulkPace } from '../bulkPace.ts';
import { done, retryAt, type Job, type JobHandler } from '../handler.ts';

/** The signal that ends a start of the job, its span, and the pace of its statements. */
interface Start extends Pick<Job, 'signal' | 'span'> {
  readonly pace: BulkPace;
}

/** Returns the requester with the rights of now, and with the person who approved the bulk; null when they may not act here any more. */
const readChunkRequester = async (
  deps: Deps,
  envId: number,
  chunk: Chunk,
  span: Span | null,
): Promise<Caller | null> => {
  const caller = await readRequester(deps, { env: envId, ...chunk });
  if (caller === null) return null;
  const approvedBy = runApprover(chunk);
  return approvedBy === null
    ? { ...caller, span }
    : { ...caller, span, principal: withoutSupervision(caller.principal), approvedBy };
};

const buildChunkOperation = async ({ db }: Deps, envId: number, chunk: Chunk): Promise<BoundOperation> => {
  const { undo_of: undoOf, operation } = chunk;
  const { type, ...members } =
    undoOf === null ? operation : ((await readBulk(db, envId, undoOf))?.operation ?? operation);
  const known = bulkOperations.get(type);
  if (known === undefined) throw new Error(`A bulk of ${type} can’t be done in chunks.`);
  return undoOf === null ? known.bind(members) : known.restore(members, await readPreviousValues(db, undoOf, chunk));
};

/**
 * Returns the operation with the demand for a reason that an inbox makes. Other approved changes are spared it, as it was made when
 * they were requested; that of a bulk is made for each item when it runs.
 */
const demandReason = (caller: Caller, operation: BoundOperation): BoundOperation => ({
  ...operation,
  decide: (item, inbox, input, moment) =>
    (inbox.reasonRequired && operation.needsReason(input) ? reasonFault(caller) : null) ??
    operation.decide(item, inbox, input, moment),
});

/** Returns the first `count` entries of a map. */
const takeFirst = (left: ReadonlyMap<string, number>, count: number): Map<string, number> =>
  new Map([...left].slice(0, count));

/** Performs the operation on the items of a chunk. Rights are read for each statement, since a chunk may take long. */
const processItemChunk = async (deps: Deps, envId: number, chunk: Chunk, start: Start): Promise<void> => {
  const { signal, span, pace } = start;
  const operation = await buildChunkOperation(deps, envId, chunk);
  let left = remainingItems(chunk, chunk.ended);
  const performNext = async (): Promise<void> => {
    signal.throwIfAborted();
    const caller = await readChunkRequester(deps, envId, chunk, span);
    const some = takeFirst(left, caller === null ? left.size : limits.bulkStatement);
    try {
      if (caller === null) await insertForbiddenResults(deps.db, chunk, some);
      else {
        const bulk = { id: chunk.bulk, seqs: some };
        await performOperation(deps, caller, demandReason(caller, operation), [...some.keys()], null, { bulk });
      }
      for (const id of some.keys()) left.delete(id);
    } catch (error) {
      if (!isDuplicateBulkResult(error)) throw error;
      // Another start of this chunk has written at least one of the results, so each turn has fewer left.
      left = await readRemainingItems(deps.db, chunk);
    }
  };
  while (left.size > 0) await (chunk.ids.length <= limits.bulkStatement ? performNext() : pace.run(performNext));
};

/** Items of one round: cancelling a bulk waits for the runs of no more than these. */
const runsPerRound = 20;

/**
 * Makes a run for each record of a chunk; the runs give the items their results, and the last of them ends the chunk. Returns
 * false when it is the turn of others before all runs are made.
 */
const processActionChunk = async (
  deps: Deps,
  envId: number,
  chunk: Chunk,
  { signal, span }: Start,
): Promise<boolean> => {
  const attached = await readAttachedSeqs(deps, chunk.bulk, chunk.first, chunk.ids.length);
  const left = remainingItems(chunk, [...chunk.ended, ...attached]);
  while (left.size > 0) {
    signal.throwIfAborted();
    const { hasRoom, isCancelled } = await readRunTurn(deps.db, envId, chunk, deps.clock.now());
    if (isCancelled) {
      await insertCancelledResults(deps.db, chunk, left);
      break;
    }
    if (!hasRoom) return false;
    const caller = await readChunkRequester(deps, envId, chunk, span);
    if (caller === null) {
      await insertForbiddenResults(deps.db, chunk, left);
      break;
    }
    const some = takeFirst(left, runsPerRound);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation was stored as checkAction of bulk/schema.ts returned it
    const operation = chunk.operation as unknown as BulkActionRequest;
    await runActionOnItems(deps, caller, { bulk: chunk.bulk, operation, approvedBy: chunk.approved_by }, some);
    for (const id of some.keys()) left.delete(id);
    deps.bus.publish(channels.workAvailable, 'jobs');
    deps.bus.publish(channels.workAvailable, outboxOf(envId));
  }
  await markChunkWaiting(deps.db, chunk);
  return true;
};

/** Returns the handler of a process whose large chunks keep a pace. */
export const bulkChunkAt =
  (pace: BulkPace): JobHandler<'bulkChunk'> =>
  async ({ env: envId, payload, signal, span }, deps) => {
    const chunk = await takeChunk(deps.db, payload.bulk, payload.chunk, deps.clock.now());
    if (chunk !== null) {
      // The bulk may name a person, a role or a state that is newer than this process's directory.
      await deps.directory.refresh();
      if (chunk.operation.type !== 'action') await processItemChunk(deps, envId, chunk, { signal, span, pace });
      // The enqueuer has it go on once there is room.
      else if (!(await processActionChunk(deps, envId, chunk, { signal, span, pace })))
        return retryAt(deps.clock.now());
      await finishChunk(deps.db, chunk);
    }
    const isSettled = await settleCancelledRuns(deps, payload.bulk, signal);
    await publishBulkProgress(deps, envId, payload.bulk);
    return isSettled ? done() : retryAt(deps.clock.now());
  };
