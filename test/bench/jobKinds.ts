/** Queues of jobs that do nothing: BullMQ alone, and the queue and worker of the service around it. */
import { Queue, Worker } from 'bullmq';
import { openRedis } from '../../shared/platform/redis/connect.ts';
import { testRedisSecurity } from '../support/redisSecurity.ts';

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

const redisUrl = (): string => process.env['REDIS_URL'] ?? '';

const bare = async (): Promise<Kind> => {
  const connection = { url: redisUrl(), maxRetriesPerRequest: null };
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

/** The queue and the worker of the service without rows, which `durable` measures: a message holds its time as an id. */
const ours = async (): Promise<Kind> => {
  const redis = openRedis({ url: redisUrl(), prefix: 'bench', onError: () => undefined }, testRedisSecurity());
  const queue = newQueueName('ours');
  let worker: { close(): Promise<void> } | null = null;
  await redis.queue(queue).waitUntilReady();
  return {
    add: (at) =>
      redis
        .queue(queue)
        .add('noop', { staged: String(at) }, { attempts: 1, removeOnComplete: true, removeOnFail: true }),
    work: (started) => {
      worker = redis.worker(
        queue,
        async (staged) => {
          started(Number(staged));
        },
        { concurrency },
      );
    },
    close: async () => {
      await worker?.close();
      await redis.queue(queue).obliterate({ force: true });
      await redis.close();
    },
  };
};

export const kinds = { bare, ours } as const;
