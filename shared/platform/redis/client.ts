/** How every Redis connection of ours is opened: it never gives up, never waits long between tries, and always has an `error` listener. */
import { backoffMs } from '../core/wait.ts';
import { Redis, type Cluster, type RedisOptions } from 'ioredis';
import { parseClusterUrl } from '../core/redisUrl.ts';
import { openCluster } from './cluster.ts';

/** A single server, or a cluster. Commands and scripts for it name one key each: only those work in both. */
export type RedisClient = Redis | Cluster;

export interface RedisAddress {
  /** REDIS_URL (shared/platform/core/config.ts). */
  readonly url: string;
  /** Puts every key and channel of ours below one name; letters, digits, `_` and `-`. */
  readonly prefix: string;
  /** Told of each lost connection; never throws. */
  readonly onError: (error: Error) => void;
}

/** ms until the next try: 50, 100, 200 … up to 1 s, less up to half at random, so that processes don't come back all at once. */
export const retryStrategy = (times: number): number => backoffMs(times, 50, 1000) * (1 - Math.random() / 2);

const baseOptions = {
  retryStrategy,
  connectTimeout: 3000,
  keepAlive: 10_000,
  disableClientInfo: true,
} satisfies RedisOptions;

/** Commands that somebody waits for: without Redis they fail at once, with one that doesn't answer after 500 ms. */
export const failFastOptions: RedisOptions = {
  ...baseOptions,
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  commandTimeout: 500,
};

/**
 * Adding to queues: the first job of a process finds its connection still opening, hence the offline queue; a batch of
 * some hundred jobs takes longer than a single command, hence 2 s.
 */
export const producerOptions: RedisOptions = { ...baseOptions, maxRetriesPerRequest: 1, commandTimeout: 2000 };

/** Connections that wait for something: BullMQ's workers, subscriptions. A lost one is only waited for. */
export const blockingOptions = { ...baseOptions, maxRetriesPerRequest: null } satisfies RedisOptions;

export const openClient = ({ url, onError }: RedisAddress, options: RedisOptions): RedisClient => {
  const cluster = parseClusterUrl(url);
  const client = cluster === null ? new Redis(url, options) : openCluster(cluster, options);
  client.on('error', onError);
  return client;
};

/** Ends a connection: what was sent is still answered if Redis is there, and nothing waits for it if it isn't. */
export const closeClient = async (client: RedisClient): Promise<void> => {
  if (client.status === 'ready') {
    const late = setTimeout(() => {
      client.disconnect();
    }, 500);
    await client.quit().catch(() => undefined);
    clearTimeout(late);
  }
  client.disconnect();
};
