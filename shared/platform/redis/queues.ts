/**
 * BullMQ's queues and workers: they carry ids of staged jobs from the enqueuer to a worker, and may lose all of them at any time.
 * What a job does stands in its row; whoever writes to Redis can only name a row that is due anyway.
 */
import { Queue, Worker, type ConnectionOptions } from 'bullmq';
import { getOrCreate } from '../caches.ts';
import { parseClusterUrl } from '../config/configValues.ts';
import { isObject } from '../json/jsonLimits.ts';
import { settlesWithin } from '../time/clock.ts';
import {
  blockingOptions,
  closeClient,
  openClient,
  producerOptions,
  type RedisAddress,
  type RedisClient,
} from './client.ts';
import type { RefusalReporter } from './droppedMessages.ts';

/** The data of a job in Redis: the id of its row in `staged_jobs`. */
interface QueueMessage {
  readonly staged: string;
}

const stagedIdForm = /^[\w.-]{1,64}$/;

/** Returns the id in the data of a job, which anybody may have written; null when it can't be one. */
const parseStagedId = (data: unknown): string | null =>
  isObject(data) && typeof data['staged'] === 'string' && stagedIdForm.test(data['staged']) ? data['staged'] : null;

type JobQueue = Queue<QueueMessage, void>;
/** A worker, which takes jobs until it is closed. */
interface QueueWorker {
  /**
   * Takes no more jobs, and resolves when the running ones have ended. BullMQ's own close can wait for ever while Redis is
   * unavailable, so after the last job it has `closeTimeoutMs`.
   */
  close(): Promise<void>;
}

interface WorkerSettings {
  /** Jobs that one worker runs at once. */
  readonly concurrency: number;
}

export interface Queues {
  /** Returns a queue, whose commands fail within 2 s while Redis is unavailable. Get it for each use: one that was made without Redis is replaced. */
  readonly queue: (name: string) => JobQueue;
  /** Opens a worker, which survives any outage of Redis. `process` gets ids and never rejects. The caller closes the worker. */
  readonly worker: (name: string, process: (staged: string) => Promise<void>, settings: WorkerSettings) => QueueWorker;
  readonly close: () => Promise<void>;
}

/**
 * In ms. BullMQ gives a killed worker's job to another one after lockDuration + stalledInterval at the latest: within the 15 s
 * in which jobs have to go on; BullMQ's defaults are 30 s each.
 */
const lockDuration = 9_000;
const stalledInterval = 4_000;
/** The row in PostgreSQL counts the tries; BullMQ must never give a job up. */
const maxStalledCount = 1_000_000;
/** Time between two tries of a worker whose connection failed, in ms (BullMQ's default: 15 s). */
const runRetryDelay = 500;

/** How long BullMQ's close may take, in ms. It may fail, as PostgreSQL has the jobs. */
const closeTimeoutMs = 1_000;

interface WorkerConnection {
  readonly options: { readonly connection: ConnectionOptions; readonly skipVersionCheck?: boolean };
  close(): Promise<void>;
}

/**
 * Returns the connection options of a worker. BullMQ takes a cluster only as a client, which the caller has to close; for a
 * single server it opens and closes its own. The version check is skipped in a cluster, as BullMQ never recovers when it fails.
 */
const workerConnection = (address: RedisAddress): WorkerConnection => {
  if (parseClusterUrl(address.url) === null)
    return { options: { connection: { ...blockingOptions, url: address.url } }, close: () => Promise.resolve() };
  const client = openClient(address, blockingOptions);
  return { options: { connection: client, skipVersionCheck: true }, close: () => closeClient(client) };
};

/** Returns the queues of a process; each connects at its first use. */
export const openQueues = (address: RedisAddress, onRefused: RefusalReporter): Queues => {
  const { onError } = address;
  const made = new Map<string, JobQueue>();
  /** The part in braces decides the slot of a key in a cluster, and BullMQ's scripts need all keys of a queue in one slot. */
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
    // BullMQ keeps a failed first connection for good, so the queue is replaced.
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
      const worker = new Worker<unknown, void>(
        name,
        async ({ data }) => {
          const staged = parseStagedId(data);
          if (staged === null) {
            onRefused('bad job');
            return;
          }
          const work = process(staged);
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
