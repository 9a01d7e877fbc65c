/** The types of job handlers and their outcomes. workers/jobs/index.ts has a `JobHandler` for each job. */
import type { JobName, JobPayloads } from '../shared/catalogue/jobs.ts';
import type { Deps } from '../shared/deps.ts';
import type { Span } from '../shared/platform/tracing/span.ts';

export interface Job<N extends JobName = JobName> {
  /** Of the row in `staged_jobs`. */
  readonly id: string;
  /** The environment's number, as in `directory.environmentById`. */
  readonly env: number;
  readonly name: N;
  readonly payload: JobPayloads[N];
  /** Of the request that staged it, for log lines and events. */
  readonly requestId: string | null;
  /** What the handler writes must depend on the row still having this fence: then a frozen worker writes nothing. */
  readonly fence: number;
  /** How often it was started, this time included. */
  readonly startCount: number;
  /** Aborts when the lease was lost or the worker stops: the handler must end soon, and what it throws then is no failure. */
  readonly signal: AbortSignal;
  /** null: the request that staged it is not traced. */
  readonly span: Span | null;
  /** Resolves once the jobs that this process took earlier have ended, `limits.overtakenMs` later at the latest. */
  readonly inTurn: () => Promise<void>;
}

export type JobOutcome =
  | { readonly kind: 'done' }
  /** The row stays and is due again at this time (epoch ms); not counted as a failure. */
  | { readonly kind: 'again'; readonly at: number }
  /** Another process continues the job and deletes its row; a row that is left after a moment is due again at this time (epoch ms). */
  | { readonly kind: 'passedOn'; readonly at: number }
  /** The app is offline and the job needs it: the row is parked until the app is online. */
  | { readonly kind: 'wait' }
  /** The row is kept with the reason as its error and not run again, although its work isn't done. */
  | { readonly kind: 'giveUp'; readonly reason: string };

export const done = (): JobOutcome => ({ kind: 'done' });
export const retryAt = (at: number): JobOutcome => ({ kind: 'again', at });
export const passOn = (at: number): JobOutcome => ({ kind: 'passedOn', at });
export const waitForApp = (): JobOutcome => ({ kind: 'wait' });
export const giveUp = (reason: string): JobOutcome => ({ kind: 'giveUp', reason });

/** A throw is a failure: the job is retried with backoff, as often as catalogue/jobs.ts allows. */
export type JobHandler<N extends JobName> = (job: Job<N>, deps: Deps) => Promise<JobOutcome>;
export type JobHandlers = { readonly [N in JobName]: JobHandler<N> };

/** Handlers by name, as a worker runs them: the type of a payload is not known for a name that is read from a row. */
export type HandlerTable = Readonly<Record<string, JobHandler<never>>>;
/** The catalogue's `jobs`; tests give their own. */
export type JobTable = Readonly<
  Record<
    string,
    { readonly queue: string; readonly small?: string; readonly concurrency: number; readonly retries: number }
  >
>;

/** Returns the queues that the jobs of a table are in. */
export const queuesOf = (jobs: JobTable): readonly string[] => [
  ...new Set(Object.values(jobs).flatMap(({ queue, small }) => (small === undefined ? [queue] : [queue, small]))),
];
