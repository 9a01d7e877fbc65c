/** Runs the jobs of one queue: leases the row, runs the handler, records the outcome. Used by workerProcess.ts. */
import { limits } from '../shared/catalogue/limits.ts';
import type { Deps } from '../shared/deps.ts';
import { isDbUnavailable } from '../shared/platform/db/errors.ts';
import {
  acquireJobLease,
  completeJob,
  failJob,
  jobLeaseMs,
  parkJob,
  rescheduleJob,
  returnJob,
  type JobLease,
} from '../shared/platform/leases/jobLease.ts';
import { channels } from '../shared/platform/redis/bus.ts';
import { backoffMs, sleep } from '../shared/platform/time/clock.ts';
import { continueTrace, failureOf, type Span, type Tracer } from '../shared/platform/tracing/span.ts';
import { createLine, type Place } from '../shared/platform/turns/line.ts';
import type { HandlerTable, Job, JobOutcome, JobTable } from './handler.ts';
import type { JobLeaseRenewal } from './leaseRenewal.ts';
import { jobSeconds } from './metrics.ts';
import type { PassedOnJobs } from './passedOnJobs.ts';
import { backoffAfter } from './wakeSignal.ts';

/** Begins the span of a start, below the request that staged the job; the first start also shows how long the job waited for it. */
const beginJobSpan = (
  tracer: Tracer | null,
  { id, name, fence, tries, createdAt, traceparent }: JobLease,
  queue: string,
): Span | null => {
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
    'console.job': name,
  };
  if (fence === 1)
    continueTrace(tracer, traceparent, `wait ${name}`, {
      kind: 'producer',
      attributes: { ...attributes, 'messaging.operation.name': 'wait', 'messaging.operation.type': 'send' },
      agoMs: Math.max(0, Date.now() - createdAt),
    })?.end();
  return continueTrace(tracer, traceparent, `process ${name}`, {
    kind: 'consumer',
    attributes: {
      ...attributes,
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'console.attempt': tries,
    },
  });
};

/** Ends the span with the outcome of the start. */
const endJobSpan = (span: Span, result: { readonly kind: string; readonly error?: unknown }): void => {
  span.set({ 'console.outcome': result.kind });
  span.end(result.kind === 'failed' ? failureOf(result.error) : undefined);
};

type StartResult = JobOutcome | { readonly kind: 'failed'; readonly error: unknown } | { readonly kind: 'interrupted' };

/** Returns the ms before a retry: 0.5 s, 1 s, 2 s … and up to half more at random, at most 30 s. */
const jobBackoffMs = (tries: number): number => Math.min(backoffMs(tries, 500) * (1 + Math.random() / 2), 30_000);

/** Returns the result of `work`, which is retried while PostgreSQL is unavailable and `goOn` returns true. */
const retryWhileUnavailable = async <T>(goOn: () => boolean, work: () => Promise<T>): Promise<T> => {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!isDbUnavailable(error) || !goOn()) throw error;
      await sleep(backoffAfter(failures));
    }
  }
};

interface JobWorker {
  /** Takes no new jobs from now on; resolves when the running ones have ended. */
  close(): Promise<void>;
}

interface WorkerDeps {
  readonly deps: Deps;
  readonly jobs: JobTable;
  readonly handlers: HandlerTable;
  readonly leases: JobLeaseRenewal;
  readonly passedOn: PassedOnJobs;
}

/** Runs one start of a leased job. */
const runHandler = async (
  { deps, handlers }: WorkerDeps,
  { id, env, name, payload, requestId, fence, tries }: JobLease,
  more: Pick<Job, 'signal' | 'span' | 'inTurn'>,
): Promise<StartResult> => {
  const handler = handlers[name];
  if (handler === undefined) return { kind: 'failed', error: new Error(`There is no handler for the job ${name}.`) };
  try {
    return await handler(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the row was written with the payload of its name
      { id, env, name: name as never, payload: payload as never, requestId, fence, startCount: tries, ...more },
      deps,
    );
  } catch (error) {
    return more.signal.aborted ? { kind: 'interrupted' } : { kind: 'failed', error };
  }
};

/** Writes the outcome of a start; returns false when the lease was lost. */
const recordResult = (
  { deps: { db, clock }, jobs, passedOn }: WorkerDeps,
  lease: JobLease,
  result: StartResult,
): Promise<boolean> => {
  switch (result.kind) {
    case 'done':
      return completeJob(db, lease);
    case 'again':
      return rescheduleJob(db, lease, result.at);
    case 'passedOn':
      passedOn.add({ ...lease, at: result.at });
      return Promise.resolve(true);
    case 'wait':
      return parkJob(db, lease);
    case 'giveUp':
      return failJob(db, lease, { error: result.reason, retryAt: null, now: clock.now() });
    case 'interrupted':
      return returnJob(db, lease);
    case 'failed': {
      const last = lease.tries > (jobs[lease.name]?.retries ?? 0);
      const now = clock.now();
      const retryAt = last ? null : now + jobBackoffMs(lease.tries);
      return failJob(db, lease, { error: String(result.error), retryAt, now });
    }
  }
};

const logResult = (
  { log }: Deps,
  { id, name, requestId, tries }: JobLease,
  result: StartResult,
  kept: boolean,
): void => {
  const about = { job: id, name, requestId, tries };
  if (result.kind === 'failed') log.warn({ ...about, err: result.error }, 'a job failed');
  else if (result.kind === 'giveUp') log.warn({ ...about, reason: result.reason }, 'a job was given up');
  else if (result.kind === 'interrupted') log.info(about, 'a job was interrupted');
  else if (result.kind === 'passedOn') log.debug(about, 'a job is passed on');
  else log.debug({ ...about, kept }, result.kind === 'done' ? 'a job is done' : 'a job is staged again');
};

const runLeasedJob = async (parts: WorkerDeps, lease: JobLease, place: Place): Promise<void> => {
  const { deps, leases } = parts;
  const signal = leases.add(lease);
  const startedAt = performance.now();
  const span = beginJobSpan(deps.tracer, lease, parts.jobs[lease.name]?.queue ?? lease.name);
  const result = await runHandler(parts, lease, { signal, span, inTurn: () => place.reached() });
  place.pass();
  const endedAt = performance.now();
  if (span !== null) endJobSpan(span, result);
  jobSeconds.observe({ kind: lease.name, outcome: result.kind }, (endedAt - startedAt) / 1000);
  try {
    const kept = await retryWhileUnavailable(
      () => performance.now() - endedAt < jobLeaseMs,
      () => recordResult(parts, lease, result),
    );
    logResult(deps, lease, result, kept);
  } catch (error) {
    deps.log.error(
      { err: error, job: lease.id, requestId: lease.requestId },
      'the outcome of a job could not be written; it will run again',
    );
  } finally {
    leases.remove(lease);
  }
  // The next chunk of its principal may begin (outbox/enqueuer.ts).
  if (lease.name === 'bulkChunk') deps.bus.publish(channels.workAvailable, 'jobs');
  if (result.kind === 'interrupted' || (result.kind === 'again' && result.at <= deps.clock.now()))
    deps.bus.publish(channels.workAvailable, 'jobs');
};

export const startWorker = (parts: WorkerDeps, queue: string): JobWorker => {
  const { deps, jobs } = parts;
  let closing: Promise<void> | null = null;
  const line = createLine(limits.overtakenMs);

  /** Never rejects: BullMQ would write the error to Redis. A job that could not be leased is enqueued again by a sweep. */
  const take = async (id: string): Promise<void> => {
    const place = line.enter();
    try {
      const lease = await retryWhileUnavailable(
        () => closing === null,
        () => acquireJobLease(deps.db, id, deps.clock.now()),
      );
      if (lease !== null) await runLeasedJob(parts, lease, place);
    } catch (error) {
      if (!isDbUnavailable(error)) deps.log.error({ err: error, job: id }, 'a job could not be started');
    } finally {
      place.pass();
    }
  };
  const concurrency = Math.max(
    ...Object.values(jobs)
      .filter((job) => job.queue === queue || job.small === queue)
      .map((job) => job.concurrency),
  );
  const worker = deps.redis.worker(queue, take, { concurrency });
  return { close: () => (closing ??= worker.close()) };
};
