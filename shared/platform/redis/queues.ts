/** BullMQ as the service uses it: it carries ids from the enqueuer to a worker, and may forget all of them at any time. */
import { getOrCreate } from '../core/maps.ts';
import { Queue, Worker, type ConnectionOptions, type Processor } from 'bullmq';
import { parseClusterUrl } from '../core/redisUrl.ts';
import { settlesWithin } from '../core/wait.ts';
import {
  closeClient,
  openClient,
  blockingOptions,
  producerOptions,
  type RedisAddress,
  type RedisClient,
} from './client.ts';

/** All that a job in Redis holds: the id of its row in `staged_jobs`. */
interface QueueMessage {
  readonly staged: string;
  readonly requestId?: string;
}

type JobQueue = Queue<QueueMessage, void>;
/** Takes jobs until it is closed. */
interface QueueWorker {
  /**
   * Takes no more, and answers when the running ones have ended. Between BullMQ and a Redis that is away or has just
   * come back a close can wait for ever: from the last job on it is waited for 1 s at most.
   */
  close(): Promise<void>;
}

interface WorkerSettings {
  /** Jobs that one worker runs at once. */
  readonly concurrency: number;
}

export interface Queues {
  /** Fails within 2 s while Redis is away. Ask anew for each use: one that was made without Redis is replaced. */
  readonly queue: (name: string) => JobQueue;
  /** Takes jobs until it is closed, through any outage. The caller closes it. */
  readonly worker: (name: string, process: Processor<QueueMessage, void>, settings: WorkerSettings) => QueueWorker;
  readonly close: () => Promise<void>;
}

/**
 * In ms. A killed worker's job is found by the stalled check at the latest lockDuration + stalledInterval later;
 * BullMQ's own 30 s + 30 s would break the promise of 15 s.
 */
const lockDuration = 9_000;
const stalledInterval = 4_000;
/** Attempts are counted by the row in PostgreSQL; Redis must never be the one who gives up. */
const maxStalledCount = 1_000_000;
/** ms between tries of a worker whose connection failed (BullMQ: 15 s). */
const runRetryDelay = 500;

/** How long BullMQ may take to say good-bye to Redis: PostgreSQL knows all that counts. */
const closeTimeoutMs = 1_000;

interface WorkerConnection {
  readonly options: { readonly connection: ConnectionOptions; readonly skipVersionCheck?: boolean };
  close(): Promise<void>;
}

/**
 * BullMQ takes a cluster only as a client, which stays ours to close; of a single server it opens and closes all by itself.
 * It never recovers from a first question that a cluster fails to answer, so it asks nothing.
 */
const workerConnection = (address: RedisAddress): WorkerConnection => {
  if (parseClusterUrl(address.url) === null)
    return { options: { connection: { ...blockingOptions, url: address.url } }, close: () => Promise.resolve() };
  const client = openClient(address, blockingOptions);
  return { options: { connection: client, skipVersionCheck: true }, close: () => closeClient(client) };
};

export const openQueues = (address: RedisAddress): Queues => {
  const { onError } = address;
  const made = new Map<string, JobQueue>();
  /** The part in braces alone says where a key lies in a cluster, and scripts need all keys of a queue in one place. */
  const prefixOf = (name: string): string => `${address.prefix}:{${name}}`;
  let producer: RedisClient | null = null;

  const make = (name: string): JobQueue => {
    producer ??= openClient(address, producerOptions);
    const queue: JobQueue = new Queue(name, {
      connection: producer,
      prefix: prefixOf(name),
      skipWaitingForReady: true,
      skipMetasUpdate: true,
    });
    queue.on('error', onError);
    // BullMQ keeps a failed first look at Redis for good.
    queue.waitUntilReady().catch(() => {
      if (made.get(name) === queue) made.delete(name);
      queue.close().catch(onError);
    });
    return queue;
  };

  return {
    queue: (name) => {
      return getOrCreate(made, name, () => make(name));
    },
    worker: (name, process, { concurrency }) => {
      const running = new Set<Promise<void>>();
      const { options, close } = workerConnection(address);
      const worker = new Worker<QueueMessage, void>(
        name,
        async (job, token) => {
          const work = process(job, token);
          running.add(work);
          await work.finally(() => running.delete(work));
        },
        {
          ...options,
          prefix: prefixOf(name),
          concurrency,
          lockDuration,
          stalledInterval,
          maxStalledCount,
          runRetryDelay,
        },
      );
      worker.on('error', onError);
      return {
        close: async () => {
          const closed = worker.close().catch(() => undefined);
          await Promise.allSettled(running);
          await settlesWithin(closeTimeoutMs, closed);
          worker.disconnect().catch(() => undefined);
          await close();
        },
      };
    },
    close: async () => {
      await Promise.all(
        [...made.values()].map((queue) =>
          settlesWithin(
            closeTimeoutMs,
            queue.close().catch(() => undefined),
          ),
        ),
      );
      if (producer !== null) await closeClient(producer);
    },
  };
};
