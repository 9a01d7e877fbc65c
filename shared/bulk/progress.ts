/** Publishes the progress of a bulk and finishes it. Called whenever a chunk has ended. */
import { openChunkStatuses } from '../catalogue/states/bulks.ts';
import { sqlList } from '../catalogue/states/machine.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { change, live, writeChange } from '../platform/journal/changeWriter.ts';
import { nextEventId } from '../platform/journal/events.ts';
import { type EphemeralMessage, redisKeys, channels, outboxOf } from '../platform/redis/bus.ts';
import type { ActionDeps, Run } from '../runs/model.ts';
import { updateCountsForRun } from './chunks.ts';
import { bulkLivePart, type BulkRow } from './present.ts';
import { readBulk } from './queries.ts';
import { readBulkScope, type BulkScope } from './scope.ts';

/** ms between two messages about one bulk, by all workers together: 5 a second look continuous to a reader. */
const progressMs = 200;

const finishChange = change('bulk.finish', {
  finished: `
    update bulks set status = $status, finished_at = $at::bigint
    where id = $id and finished_at is null
      and not exists (select from bulk_chunks where bulk = $id and status in (${sqlList(openChunkStatuses)}))
    returning ${nextEventId} as id, env`,
  told: live({ id: 'id', env: 'env' }, { from: 'finished' }),
});

/**
 * Finishes a bulk whose chunks have all ended, emits that, and returns the bulk; exactly one of several calls has an effect.
 * `bulk` was read when all chunks had ended, so that its counts are final.
 */
export const finishBulk = async (db: Db | Tx, bulk: BulkRow, scope: BulkScope | null, at: number): Promise<BulkRow> => {
  const finished: BulkRow = { ...bulk, status: bulk.cancelled ? 'cancelled' : 'done', finished_at: at };
  const parts = JSON.stringify([bulkLivePart(finished, scope)]);
  await writeChange(db, finishChange, { id: bulk.id, status: finished.status, at, live: parts });
  return finished;
};

/** Returns whether this process publishes the progress now. Redis decides, since the message needs Redis anyway. */
const claimProgressTurn = async ({ redis }: ActionDeps, bulk: string): Promise<boolean> => {
  try {
    return (await redis.command.set(redis.key(redisKeys.bulkProgress(bulk)), '1', 'PX', progressMs, 'NX')) === 'OK';
  } catch {
    return false;
  }
};

/** Publishes the progress of a bulk, or finishes it. Called after the commit that ended a chunk, so that the last call sees all ended. */
export const publishBulkProgress = async (deps: ActionDeps, envId: number, id: string): Promise<void> => {
  const { db, bus, clock } = deps;
  const bulk = await readBulk(db, envId, id);
  if (bulk === undefined || bulk.finished_at !== null) return;
  if (bulk.open === 0) {
    await finishBulk(db, bulk, await readBulkScope(deps, bulk), clock.now());
    bus.publish(channels.workAvailable, outboxOf(envId));
  } else if (await claimProgressTurn(deps, id)) {
    const part = bulkLivePart(bulk, await readBulkScope(deps, bulk));
    const message: EphemeralMessage = { kind: 'passing', at: clock.now(), part };
    bus.publish(channels.live(envId), JSON.stringify(message));
  }
};

/** Counts a settled run in the chunks of its bulk, and reports the bulk's progress or end. Does nothing for a run of no bulk. */
export const countSettledRun = async (deps: ActionDeps, run: Run): Promise<void> => {
  if (run.bulk === null) return;
  await updateCountsForRun(deps.db, run.bulk, run.id);
  await publishBulkProgress(deps, run.env, run.bulk);
};
