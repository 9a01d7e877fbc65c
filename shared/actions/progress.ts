/** Progress of runs: many notices a second become one statement and one passing message a run, at most 5 times a second. */
import { rows, statement } from '../platform/db/sql.ts';
import type { ActionDeps } from './deps.ts';
import { channels, type PassingMessage } from '../platform/redis/bus.ts';
import { runPart, type Run } from './model.ts';

const everyMs = 200;

export interface Progress {
  readonly env: number;
  readonly instance: string;
  readonly run: string;
  /** From 0 to 1; null: as before. */
  readonly progress: number | null;
  readonly message: string | null;
}

const write = statement('runs.progress', `
  update runs r set progress = coalesce(p.progress, r.progress), message = coalesce(p.message, r.message)
  from json_to_recordset($1::json) as p(env int, run text, instance text, progress real, message text)
  where r.id = p.run and r.env = p.env and r.instance = p.instance and r.status = 'running' and r.handed_at is not null
  returning r.*`);

interface Waiting {
  readonly latest: Map<string, Progress>;
  busy: boolean;
}
const known = new WeakMap<ActionDeps, Waiting>();

const flush = async (deps: ActionDeps, waiting: Waiting): Promise<void> => {
  const some = [...waiting.latest.values()];
  waiting.latest.clear();
  for (const run of await rows<Run>(deps.db, write, [JSON.stringify(some)])) {
    const message: PassingMessage = { kind: 'passing', at: deps.clock.now(), part: runPart(run) };
    deps.bus.publish(channels.live(run.env), JSON.stringify(message));
  }
};

const flushSoon = (deps: ActionDeps, waiting: Waiting): void => {
  if (waiting.busy) return;
  waiting.busy = true;
  setTimeout(() => {
    flush(deps, waiting)
      .catch((error: unknown) => {
        deps.log.debug({ err: error }, 'the progress of runs could not be written');
      })
      .finally(() => {
        waiting.busy = false;
        if (waiting.latest.size > 0) flushSoon(deps, waiting);
      });
  }, everyMs);
};

/** Never waits: progress that is lost with its process is told by the next one. */
export const tellProgress = (deps: ActionDeps, progress: Progress): void => {
  const waiting = known.get(deps) ?? { latest: new Map<string, Progress>(), busy: false };
  known.set(deps, waiting);
  const former = waiting.latest.get(progress.run);
  waiting.latest.set(progress.run, { ...progress, progress: progress.progress ?? former?.progress ?? null, message: progress.message ?? former?.message ?? null });
  flushSoon(deps, waiting);
};
