/** The connection that the bus (redisBus.ts) hears on: one that is lost is opened anew, and asks for all its channels again. */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { pickMaster, isMaster } from './cluster.ts';
import {
  closeClient,
  openClient,
  blockingOptions,
  retryStrategy,
  type RedisAddress,
  type RedisClient,
} from './client.ts';

export interface SubscriberConnection {
  /** Hears these too. Without a connection it does nothing: the next one asks for `channels` anyway. */
  add(channel: string): void;
  remove(channel: string): void;
  close(): Promise<void>;
}

interface SubscriberOptions {
  readonly address: RedisAddress;
  readonly command: RedisClient;
  /** All that is to be heard now: what counts, whatever was in flight when a connection was lost. */
  readonly channels: () => readonly string[];
  readonly onMessage: (channel: string, text: string) => void;
}

const subscriberSettings = { autoResubscribe: false, enableOfflineQueue: false } satisfies RedisOptions;

const subscribeToServer = ({ address, channels, onMessage: hear }: SubscriberOptions): SubscriberConnection => {
  const client = openClient(address, { ...blockingOptions, ...subscriberSettings });
  client.on('message', hear);
  client.on('ready', () => {
    if (channels().length > 0) client.subscribe(...channels()).catch(address.onError);
  });
  return {
    add: (channel) => {
      if (client.status === 'ready') client.subscribe(channel).catch(address.onError);
    },
    remove: (channel) => {
      if (client.status === 'ready') client.unsubscribe(channel).catch(address.onError);
    },
    close: () => closeClient(client),
  };
};

/** ms between looks whether the node still answers and still is one of the cluster: from one that was left out nothing comes. */
const checkIntervalMs = 1_000;

/**
 * In a cluster each node passes on what is published at any. So this hears at one of them, and at another when that one is
 * gone, doesn't answer, or has been left out.
 */
const subscribeToCluster = (
  { address, channels, onMessage: hear }: SubscriberOptions,
  cluster: Cluster,
): SubscriberConnection => {
  let client: Redis | null = null;
  let failures = 0;
  let again: NodeJS.Timeout | undefined;
  let closed = false;

  const later = (): void => {
    clearTimeout(again);
    if (!closed) again = setTimeout(open, failures === 0 ? 0 : retryStrategy(failures));
    failures += 1;
  };
  const leave = (from: Redis): void => {
    if (client !== from || again !== undefined) return;
    from.removeAllListeners('end').removeAllListeners('message').disconnect();
    later();
  };
  const open = (): void => {
    again = undefined;
    const node = pickMaster(cluster, client);
    if (node === undefined) return later();
    const opened = node.duplicate({
      ...blockingOptions,
      ...subscriberSettings,
      lazyConnect: false,
      retryStrategy: () => null,
      commandTimeout: checkIntervalMs,
    });
    client = opened;
    opened
      .on('error', address.onError)
      .on('message', hear)
      .on('end', () => {
        leave(opened);
      })
      .on('ready', () => {
        failures = 0;
        add(...channels());
      });
  };
  /** A node that doesn't answer is left; and what it was asked stands in `channels`, for the next one. */
  const ask = (what: (from: Redis) => Promise<unknown>): void => {
    const from = client;
    if (from?.status === 'ready')
      what(from).catch(() => {
        leave(from);
      });
  };
  const add = (...more: string[]): void => {
    if (more.length > 0) ask((from) => from.subscribe(...more));
  };
  const look = setInterval(() => {
    if (client !== null && cluster.status === 'ready' && !isMaster(cluster, client)) leave(client);
    else ask((from) => from.ping());
  }, checkIntervalMs);
  look.unref();
  open();

  return {
    add,
    remove: (channel) => {
      ask((from) => from.unsubscribe(channel));
    },
    close: async () => {
      closed = true;
      clearInterval(look);
      clearTimeout(again);
      if (client !== null) await closeClient(client);
    },
  };
};

export const openSubscriber = (options: SubscriberOptions): SubscriberConnection =>
  options.command instanceof Cluster ? subscribeToCluster(options, options.command) : subscribeToServer(options);
