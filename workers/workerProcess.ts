/** Starts and stops the services of a worker process: publisher, enqueuer, job workers, sweeps. Used by main.ts and tests. */
import { jobs as catalogue } from '../shared/catalogue/jobs.ts';
import type { Deps } from '../shared/deps.ts';
import { settlesWithin } from '../shared/platform/time/clock.ts';
import { createBulkPace } from './bulkPace.ts';
import { queuesOf, type HandlerTable, type JobTable } from './handler.ts';
import { createHandlers } from './jobs/index.ts';
import { startLeaseRenewal } from './leaseRenewal.ts';
import { startEnqueuer } from './outbox/enqueuer.ts';
import { startPublisher } from './outbox/publisher.ts';
import { createPassedOnJobs } from './passedOnJobs.ts';
import { sweeps as ourSweeps } from './sweeps/index.ts';
import { startSweeps, type Sweep } from './sweeps/sweep.ts';
import type { RunningService } from './wakeSignal.ts';
import { startWorker } from './worker.ts';

/** ms that interrupted jobs may take to end after their signal has aborted, and that the publisher may take to stop. */
const interruptGraceMs = 1_000;

interface WorkerProcessOptions {
  readonly jobs?: JobTable;
  readonly handlers?: HandlerTable;
  readonly sweeps?: readonly Sweep[];
}

export interface WorkerProcess extends RunningService {
  /** Waits neither for PostgreSQL nor for Redis. May be called twice; not after `stop`. */
  start(): Promise<void>;
}

const startServices = (
  deps: Deps,
  { jobs = catalogue, handlers: ownHandlers, sweeps = ourSweeps }: WorkerProcessOptions,
): RunningService => {
  const { log, config } = deps;
  const publisher = startPublisher(deps);
  const enqueuer = startEnqueuer(deps, jobs);
  const pace = createBulkPace(deps.bus);
  const handlers = ownHandlers ?? createHandlers(pace);
  const leases = startLeaseRenewal(deps.db, (error) => log.warn({ err: error }, 'leases could not be renewed'));
  const passedOn = createPassedOnJobs(deps.db, (error) => log.warn({ err: error }, 'jobs could not be made due again'));
  const workers = queuesOf(jobs).map((queue) => startWorker({ deps, jobs, handlers, leases, passedOn }, queue));
  const sweeping = startSweeps(deps, sweeps);
  return {
    /** The publisher stops last, since running jobs still write events. */
    stop: async () => {
      const idle = Promise.all([sweeping.stop(), enqueuer.stop(), ...workers.map((worker) => worker.close())]);
      if (!(await settlesWithin(config.drainMs, idle))) {
        leases.abortAll('the worker stops');
        if (!(await settlesWithin(interruptGraceMs, idle)))
          log.warn('jobs did not end in time; others will run them again');
      }
      leases.close();
      pace.close();
      await settlesWithin(interruptGraceMs, passedOn.close());
      await settlesWithin(interruptGraceMs, publisher.stop());
    },
  };
};

/** The caller closes `deps` after `stop`. */
export const createWorkerProcess = (deps: Deps, options: WorkerProcessOptions = {}): WorkerProcess => {
  let running: RunningService | null = null;
  let stopping: Promise<void> | null = null;
  return {
    start: async () => {
      running ??= startServices(deps, options);
    },
    stop: () => (stopping ??= running?.stop() ?? Promise.resolve()),
  };
};
