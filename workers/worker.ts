/** Runs the jobs of one queue: claims the row, runs the handler, records what became of it. The only user of BullMQ's worker. */
import { Histogram } from 'prom-client';
import { sleep } from '../shared/platform/core/wait.ts';
import { isAway } from '../shared/platform/db/errors.ts';
import type { Deps } from '../shared/deps.ts';
import { again, claim, claimMs, fail, finish, giveBack, park, type Claim } from '../shared/platform/outbox/claims.ts';
import { channels } from '../shared/platform/redis/bus.ts';
import { pauseAfter } from './bell.ts';
import type { HandlerTable, JobTable, Outcome } from './handler.ts';
import type { HeldClaims } from './held.ts';

const seconds = new Histogram({
  name: 'console_job_seconds',
  help: 'How long starts of background jobs took, by job and by what became of them.',
  labelNames: ['job', 'outcome'] as const,
  buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
});

type Result = Outcome | { readonly kind: 'failed'; readonly error: unknown } | { readonly kind: 'interrupted' };

/** ms before the next try: 0.5 s, 1 s, 2 s … and up to half more at random, at most 30 s. */
export const backoff = (tries: number): number => Math.min(500 * 2 ** Math.min(tries - 1, 10) * (1 + Math.random() / 2), 30_000);

/** Repeats something while PostgreSQL is away, as long as `goOn` says so. */
const patiently = async <T>(goOn: () => boolean, work: () => Promise<T>): Promise<T> => {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error) || !goOn()) throw error;
      await sleep(pauseAfter(failures));
    }
  }
};

export interface JobWorker {
  /** Takes no new jobs from now on; answers when the running ones have ended. */
  close(): Promise<void>;
}

export interface WorkerParts {
  readonly deps: Deps;
  readonly jobs: JobTable;
  readonly handlers: HandlerTable;
  readonly held: HeldClaims;
}

/** Runs one start of a claimed job. */
const attempt = async ({ deps, handlers }: WorkerParts, { id, env, name, payload, requestId, fence, tries }: Claim, signal: AbortSignal): Promise<Result> => {
  const handler = handlers[name];
  if (handler === undefined) return { kind: 'failed', error: new Error(`There is no handler for the job ${name}.`) };
  try {
    return await handler({ id, env, name: name as never, payload: payload as never, requestId, fence, tries, signal }, deps);
  } catch (error) {
    return signal.aborted ? { kind: 'interrupted' } : { kind: 'failed', error };
  }
};

/** Writes what became of a start; false when the claim was lost. */
const record = ({ deps: { db, clock }, jobs }: WorkerParts, claimed: Claim, result: Result): Promise<boolean> => {
  switch (result.kind) {
    case 'done':
      return finish(db, claimed);
    case 'again':
      return again(db, claimed, result.at);
    case 'wait':
      return park(db, claimed);
    case 'giveUp':
      return fail(db, claimed, result.reason, null);
    case 'interrupted':
      return giveBack(db, claimed);
    case 'failed': {
      const last = claimed.tries > (jobs[claimed.name]?.retries ?? 0);
      return fail(db, claimed, String(result.error), last ? null : clock.now() + backoff(claimed.tries));
    }
  }
};

const report = ({ log }: Deps, { id, name, requestId, tries }: Claim, result: Result, kept: boolean): void => {
  const about = { job: id, name, requestId, tries };
  if (result.kind === 'failed') log.warn({ ...about, err: result.error }, 'a job failed');
  else if (result.kind === 'giveUp') log.warn({ ...about, reason: result.reason }, 'a job was given up');
  else if (result.kind === 'interrupted') log.info(about, 'a job was interrupted');
  else log.debug({ ...about, kept }, result.kind === 'done' ? 'a job is done' : 'a job is staged again');
};

const runClaimed = async (parts: WorkerParts, claimed: Claim): Promise<void> => {
  const { deps, held } = parts;
  const signal = held.hold(claimed);
  const startedAt = performance.now();
  const result = await attempt(parts, claimed, signal);
  const endedAt = performance.now();
  seconds.observe({ job: claimed.name, outcome: result.kind }, (endedAt - startedAt) / 1000);
  try {
    const kept = await patiently(() => performance.now() - endedAt < claimMs, () => record(parts, claimed, result));
    report(deps, claimed, result, kept);
  } catch (error) {
    deps.log.error({ err: error, job: claimed.id, requestId: claimed.requestId }, 'what became of a job could not be written; it will run again');
  } finally {
    held.drop(claimed);
  }
  if (result.kind === 'interrupted' || (result.kind === 'again' && result.at <= deps.clock.now())) deps.bus.publish(channels.nudge, 'jobs');
};

export const startWorker = (parts: WorkerParts, queue: string): JobWorker => {
  const { deps, jobs, handlers } = parts;
  let closing: Promise<void> | null = null;

  const take = async (id: string): Promise<void> => {
    const claimed = await patiently(() => closing === null, () => claim(deps.db, id, deps.clock.now()));
    if (claimed !== null) await runClaimed(parts, claimed);
  };
  const concurrency = Math.max(...Object.values(jobs).filter((job) => job.queue === queue).map((job) => job.concurrency));
  const worker = deps.redis.worker(queue, async ({ data, name }) => {
    if (data.staged === undefined) {
      // Only the benchmark adds jobs without a row: they have nothing that could be lost.
      await handlers[name]?.(data as never, deps);
      return;
    }
    await take(data.staged);
  }, { concurrency });
  return { close: () => (closing ??= worker.close()) };
};
