/** Queues of jobs that do nothing: BullMQ alone, and our queue and worker around it. */
import { Queue, Worker } from 'bullmq';
import { readConfig } from '../../shared/platform/core/config.ts';
import { closeDeps, openDeps } from '../../shared/deps.ts';
import { done, type HandlerTable, type JobTable } from '../../workers/handler.ts';
import { startLeaseRenewal } from '../../workers/leaseRenewal.ts';
import { startWorker } from '../../workers/worker.ts';

/** Jobs at once. */
export const concurrency = 100;
let made = 0;
/** Names don't repeat within a process. */
export const newQueueName = (kind: string): string => `bench-${kind}-${String(process.pid)}-${String(made++)}`;

export interface Kind {
  /** `at` is handed to the job's start. */
  add(at: number): Promise<unknown>;
  work(started: (at: number) => void): void;
  close(): Promise<void>;
}

interface Payload {
  readonly at: number;
}

const bare = async (): Promise<Kind> => {
  const connection = { url: process.env['REDIS_URL'] ?? '', maxRetriesPerRequest: null };
  const queue = new Queue<Payload>(newQueueName('bare'), { connection });
  await queue.waitUntilReady();
  let worker: Worker<Payload> | null = null;
  return {
    add: (at) => queue.add('noop', { at }, { removeOnComplete: true }),
    work: (started) => {
      worker = new Worker<Payload>(
        queue.name,
        async ({ data }) => {
          started(data.at);
        },
        { connection, concurrency },
      );
    },
    close: async () => {
      await worker?.close();
      await queue.obliterate({ force: true });
      await queue.close();
    },
  };
};

/** Its jobs have no row: what a row costs is measured apart. */
const ours = async (): Promise<Kind> => {
  const deps = await openDeps(readConfig(), 'bench');
  const queue = newQueueName('ours');
  const jobs: JobTable = { noop: { queue, concurrency, retries: 0 } };
  const held = startLeaseRenewal(deps.db, () => undefined);
  let worker: { close(): Promise<void> } | null = null;
  await deps.redis.queue(queue).waitUntilReady();
  return {
    add: (at) =>
      deps.redis.queue(queue).add('noop', { at } as never, { attempts: 1, removeOnComplete: true, removeOnFail: true }),
    work: (started) => {
      const handlers: HandlerTable = {
        noop: async (data: unknown) => {
          started((data as Payload).at);
          return done();
        },
      };
      worker = startWorker({ deps, jobs, handlers, leases: held }, queue);
    },
    close: async () => {
      await worker?.close();
      held.close();
      await deps.redis.queue(queue).obliterate({ force: true });
      await closeDeps(deps);
    },
  };
};

export const kinds = { bare, ours } as const;
