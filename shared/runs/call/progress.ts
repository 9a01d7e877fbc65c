/** Progress of runs: many notices become one statement and one ephemeral message per run and flush. Used by runOutcome.ts. */
import type { AppConnection } from '../../app/link/link.ts';
import { getOrCreate } from '../../platform/caches.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import { channels, type EphemeralMessage } from '../../platform/redis/bus.ts';
import { type ActionDeps, type Run, runColumns, runLivePart } from '../model.ts';

/** ms between two writes of progress: 5 updates a second look continuous to a reader. */
const flushIntervalMs = 200;
/** Ids that wait for a flush; an app may name any. */
const waitingMax = 10_000;

interface RunProgress {
  readonly envId: number;
  readonly from: AppConnection;
  readonly run: string;
  /** From 0 to 1; null: as before. */
  readonly progress: number | null;
  readonly message: string | null;
}

/** Within its time-out a run that its instance goes on with is not lost: it is at work over the connection that the progress came by. */
const updateProgressSql = statement(
  'runs.progress',
  `
  update runs r set progress = coalesce(p.progress, r.progress), message = coalesce(p.message, r.message),
    lost_at = case when r.handed_at + r.timeout_ms > $2 then null else r.lost_at end,
    connection = case when r.handed_at + r.timeout_ms > $2 then p.connection else r.connection end
  from json_to_recordset($1::json) as p(env int, run text, instance text, connection text, progress real, message text)
  where r.id = p.run and r.env = p.env and r.instance = p.instance and r.status = 'running' and r.handed_at is not null
  returning ${runColumns}`,
);

interface PendingProgress {
  readonly latest: Map<string, RunProgress>;
  busy: boolean;
}
const pendingByDeps = new WeakMap<ActionDeps, PendingProgress>();

const flush = async (deps: ActionDeps, waiting: PendingProgress): Promise<void> => {
  const some = [...waiting.latest.values()].map(({ envId, from: { id, instance }, ...progress }) => ({
    env: envId,
    instance,
    connection: id,
    ...progress,
  }));
  waiting.latest.clear();
  const at = deps.clock.now();
  for (const run of await queryRows<Run>(deps.db, updateProgressSql, [JSON.stringify(some), at])) {
    const message: EphemeralMessage = { kind: 'passing', at, part: runLivePart(run) };
    deps.bus.publish(channels.live(run.env), JSON.stringify(message));
  }
};

const scheduleFlush = (deps: ActionDeps, waiting: PendingProgress): void => {
  if (waiting.busy) return;
  waiting.busy = true;
  setTimeout(() => {
    flush(deps, waiting)
      .catch((error: unknown) => {
        deps.log.debug({ err: error }, 'the progress of runs could not be written');
      })
      .finally(() => {
        waiting.busy = false;
        if (waiting.latest.size > 0) scheduleFlush(deps, waiting);
      });
  }, flushIntervalMs);
};

/** Queues progress for the next flush and returns at once. Progress that is lost with its process, or for want of room, is replaced by the next one. */
export const queueProgress = (deps: ActionDeps, progress: RunProgress): void => {
  const waiting = getOrCreate(pendingByDeps, deps, () => ({ latest: new Map<string, RunProgress>(), busy: false }));
  const former = waiting.latest.get(progress.run);
  if (former === undefined && waiting.latest.size >= waitingMax) return;
  waiting.latest.set(progress.run, {
    ...progress,
    progress: progress.progress ?? former?.progress ?? null,
    message: progress.message ?? former?.message ?? null,
  });
  scheduleFlush(deps, waiting);
};
