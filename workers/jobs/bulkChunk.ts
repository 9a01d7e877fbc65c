/**
 * Does one chunk of a bulk: the operation over those of its ids that have no result yet. Results are written in the
 * statement of the effect and never twice, so it may run any number of times, also twice at once.
 */
import { attachedSeqs, runOnItems, type BulkAction } from '../../shared/bulk/runs.ts';
import { asApproved, type Caller } from '../../shared/access/principal.ts';
import { requesterNow } from '../../shared/settings/requester.ts';
import { endChunk, readFormers, readRemaining, refuseAll, remaining, takeChunk, waitForRuns, type Chunk } from '../../shared/bulk/chunks.ts';
import { reportProgress } from '../../shared/bulk/progress.ts';
import { readBulk } from '../../shared/bulk/queries.ts';
import type { Deps } from '../../shared/deps.ts';
import { isResultThere, perform } from '../../shared/items/perform/perform.ts';
import { repeatables, type Bound } from '../../shared/items/operations/registry.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { done, type Handler } from '../handler.ts';

/**
 * Items of one statement. Whoever wants to change one of them meanwhile waits for its commit: 35 ms on two cores, with 500
 * items four times as long, and those are done only a twentieth quicker.
 */
const atOnce = 125;

/** Whoever asked, with the rights of now; null when they may not act here any more. */
const callerOf = async (deps: Deps, env: number, chunk: Chunk): Promise<Caller | null> => {
  const caller = await requesterNow(deps, { env, ...chunk });
  return caller === null || !chunk.approved ? caller : { ...caller, principal: asApproved(caller.principal) };
};

const operationOf = async ({ db }: Deps, env: number, chunk: Chunk): Promise<Bound> => {
  const { undo_of: undoOf, operation } = chunk;
  const { type, ...members } = undoOf === null ? operation : ((await readBulk(db, env, undoOf))?.operation ?? operation);
  const known = repeatables.get(type);
  if (known === undefined) throw new Error(`A bulk of ${type} can’t be done in chunks.`);
  return undoOf === null ? known.bind(members) : known.restore(await readFormers(db, undoOf, chunk));
};

/** The first `count` of a map. */
const firstOf = (left: ReadonlyMap<string, number>, count: number): Map<string, number> => new Map([...left].slice(0, count));

/** Rights are looked up for each statement: a chunk may have been held up in between for as long as you like. */
const doChunk = async (deps: Deps, env: number, chunk: Chunk, signal: AbortSignal): Promise<void> => {
  const operation = await operationOf(deps, env, chunk);
  let left = remaining(chunk, chunk.ended);
  while (left.size > 0) {
    signal.throwIfAborted();
    const caller = await callerOf(deps, env, chunk);
    if (caller === null) return refuseAll(deps.db, chunk, left);
    const some = firstOf(left, atOnce);
    try {
      await perform(deps, caller, operation, [...some.keys()], null, { bulk: { id: chunk.bulk, seqs: some } });
      for (const id of some.keys()) left.delete(id);
    } catch (error) {
      if (!isResultThere(error)) throw error;
      // Another start of this chunk was quicker with at least one of them, so each turn has fewer left.
      left = await readRemaining(deps.db, chunk);
    }
  }
};

/** Runs of one turn: cancelling a bulk waits for no more than these. */
const runsAtOnce = 20;

/** Each record gets its run; the runs give the items their results, and the last of them ends the chunk. */
const runChunk = async (deps: Deps, env: number, chunk: Chunk, signal: AbortSignal): Promise<void> => {
  const attached = await attachedSeqs(deps, chunk.bulk, chunk.first, chunk.ids.length);
  const left = remaining(chunk, [...chunk.ended, ...attached]);
  while (left.size > 0) {
    signal.throwIfAborted();
    const caller = await callerOf(deps, env, chunk);
    if (caller === null) {
      await refuseAll(deps.db, chunk, left);
      break;
    }
    const some = firstOf(left, runsAtOnce);
    await runOnItems(deps, caller, { bulk: chunk.bulk, operation: chunk.operation as unknown as BulkAction }, some);
    for (const id of some.keys()) left.delete(id);
    deps.bus.publish(channels.nudge, 'jobs');
    deps.bus.publish(channels.nudge, 'outbox');
  }
  await waitForRuns(deps.db, chunk);
};

export const bulkChunk: Handler<'bulkChunk'> = async ({ env, payload, signal }, deps) => {
  const chunk = await takeChunk(deps.db, payload.bulk, payload.chunk, deps.clock.now());
  if (chunk !== null) {
    // It may be about a person, a role or a state that is newer than what this process has read.
    await deps.directory.refresh();
    if (chunk.operation.type === 'action') await runChunk(deps, env, chunk, signal);
    else await doChunk(deps, env, chunk, signal);
    await endChunk(deps.db, chunk);
  }
  await reportProgress(deps, env, payload.bulk);
  return done();
};
