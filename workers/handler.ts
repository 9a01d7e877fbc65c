/** What a job's code is given and what it answers; every file of workers/jobs exports one `Handler`. */
import type { JobName, JobPayloads } from '../shared/catalogue/jobs.ts';
import type { Deps } from '../shared/deps.ts';

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
  /** Aborts when the claim was lost or the worker stops: end soon, whatever is thrown then is not counted as a failure. */
  readonly signal: AbortSignal;
}

export type JobOutcome =
  | { readonly kind: 'done' }
  /** The row is kept and taken again at this time (ms, PostgreSQL's clock); not counted as a failure. */
  | { readonly kind: 'again'; readonly at: number }
  /** The app is offline and it can't go on without: taken again once it is back. */
  | { readonly kind: 'wait' }
  /** The row is dropped although its work isn't done; the handler has recorded why where users see it. */
  | { readonly kind: 'giveUp'; readonly reason: string };

export const done = (): JobOutcome => ({ kind: 'done' });
export const retryAt = (at: number): JobOutcome => ({ kind: 'again', at });
export const waitForApp = (): JobOutcome => ({ kind: 'wait' });
export const giveUp = (reason: string): JobOutcome => ({ kind: 'giveUp', reason });

/** A throw means: try again, waiting longer each time (catalogue/jobs.ts says how often). */
export type JobHandler<N extends JobName> = (job: Job<N>, deps: Deps) => Promise<JobOutcome>;
export type JobHandlers = { readonly [N in JobName]: JobHandler<N> };

/** Handlers by name, as a worker runs them: it can't know which payload belongs to a name that it reads from a row. */
export type HandlerTable = Readonly<Record<string, JobHandler<never>>>;
/** The catalogue's `jobs`; tests give their own. */
export type JobTable = Readonly<
  Record<string, { readonly queue: string; readonly concurrency: number; readonly retries: number }>
>;
