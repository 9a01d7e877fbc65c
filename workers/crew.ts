/** All that a worker process does, started and stopped in order: publisher, enqueuer, job workers, sweeps. */
import { jobs as catalogue } from '../shared/catalogue/jobs.ts';
import { within } from '../shared/platform/core/wait.ts';
import type { Deps } from '../shared/deps.ts';
import type { Running } from './bell.ts';
import type { HandlerTable, JobTable } from './handler.ts';
import { holdClaims } from './held.ts';
import { handlers as ourHandlers } from './jobs/index.ts';
import { startEnqueuer } from './outbox/enqueuer.ts';
import { startPublisher } from './outbox/publisher.ts';
import { sweeps as ourSweeps } from './sweeps/index.ts';
import { startSweeps, type Sweep } from './sweeps/sweep.ts';
import { startWorker } from './worker.ts';

/** How long an interrupted job may take to end, in ms: it was told by its signal. */
const interruptMs = 1_000;

export interface CrewOptions {
  readonly jobs?: JobTable;
  readonly handlers?: HandlerTable;
  readonly sweeps?: readonly Sweep[];
}

export interface Crew extends Running {
  /** Waits neither for PostgreSQL nor for Redis. May be called twice; not after `stop`. */
  start(): Promise<void>;
}

const startAll = (deps: Deps, { jobs = catalogue, handlers = ourHandlers, sweeps = ourSweeps }: CrewOptions): Running => {
  const { log, config } = deps;
  const publisher = startPublisher(deps);
  const enqueuer = startEnqueuer(deps, jobs);
  const held = holdClaims(deps.db, (error) => log.warn({ err: error }, 'claims could not be extended'));
  const queues = new Set(Object.values(jobs).map((job) => job.queue));
  const workers = [...queues].map((queue) => startWorker({ deps, jobs, handlers, held }, queue));
  const sweeping = startSweeps(deps, sweeps);
  return {
    /** New work ends first; the publisher last, as the running jobs still have something to tell. */
    stop: async () => {
      const idle = Promise.all([sweeping.stop(), enqueuer.stop(), ...workers.map((worker) => worker.close())]);
      if (!(await within(config.drainMs, idle))) {
        held.abort('the worker stops');
        if (!(await within(interruptMs, idle))) log.warn('jobs did not end in time; others will run them again');
      }
      held.close();
      await within(interruptMs, publisher.stop());
    },
  };
};

/** The caller closes `deps` after `stop`. */
export const createCrew = (deps: Deps, options: CrewOptions = {}): Crew => {
  let running: Running | null = null;
  let stopping: Promise<void> | null = null;
  return {
    start: async () => {
      running ??= startAll(deps, options);
    },
    stop: () => (stopping ??= running?.stop() ?? Promise.resolve()),
  };
};
