/** All that a worker process does, started and stopped in order: publisher, enqueuer, job workers, sweeps. */
import { jobs as catalogue } from '../shared/catalogue/jobs.ts';
import { settlesWithin } from '../shared/platform/core/wait.ts';
import type { Deps } from '../shared/deps.ts';
import type { RunningService } from './wakeSignal.ts';
import type { HandlerTable, JobTable } from './handler.ts';
import { startLeaseRenewal } from './leaseRenewal.ts';
import { handlers as ourHandlers } from './jobs/index.ts';
import { startEnqueuer } from './outbox/enqueuer.ts';
import { startPublisher } from './outbox/publisher.ts';
import { sweeps as ourSweeps } from './sweeps/index.ts';
import { startSweeps, type Sweep } from './sweeps/sweep.ts';
import { startWorker } from './worker.ts';

/** How long an interrupted job may take to end, in ms: it was told by its signal. */
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
  { jobs = catalogue, handlers = ourHandlers, sweeps = ourSweeps }: WorkerProcessOptions,
): RunningService => {
  const { log, config } = deps;
  const publisher = startPublisher(deps);
  const enqueuer = startEnqueuer(deps, jobs);
  const held = startLeaseRenewal(deps.db, (error) => log.warn({ err: error }, 'claims could not be extended'));
  const queues = new Set(Object.values(jobs).map((job) => job.queue));
  const workers = [...queues].map((queue) => startWorker({ deps, jobs, handlers, leases: held }, queue));
  const sweeping = startSweeps(deps, sweeps);
  return {
    /** New work ends first; the publisher last, as the running jobs still have something to tell. */
    stop: async () => {
      const idle = Promise.all([sweeping.stop(), enqueuer.stop(), ...workers.map((worker) => worker.close())]);
      if (!(await settlesWithin(config.drainMs, idle))) {
        held.abortAll('the worker stops');
        if (!(await settlesWithin(interruptGraceMs, idle)))
          log.warn('jobs did not end in time; others will run them again');
      }
      held.close();
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
