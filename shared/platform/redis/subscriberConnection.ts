/** The Redis connection on which the bus (redisBus.ts) receives messages. After each reconnect it subscribes to all channels. */
import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import {
  type RedisAddress,
  type RedisClient,
  isMaster,
  pickMaster,
  blockingOptions,
  closeClient,
  openClient,
  retryStrategy,
} from './client.ts';

export interface SubscriberConnection {
  /** Subscribes to a channel. Does nothing while disconnected, as a reconnect subscribes to all of `channels`. */
  add(channel: string): void;
  remove(channel: string): void;
  close(): Promise<void>;
}

interface SubscriberOptions {
  readonly address: RedisAddress;
  readonly command: RedisClient;
  /** Returns all channels to subscribe to, whatever was in flight when a connection was lost. */
  readonly channels: () => readonly string[];
  readonly onMessage: (channel: string, message: Buffer) => void;
  /** Called when a connection has subscribed to all channels. */
  readonly onSubscribed: () => void;
}

/** Calls `onMessage` for each message that a connection receives. */
const listen = (client: RedisClient, onMessage: SubscriberOptions['onMessage']): void => {
  client.on('messageBuffer', (channel: Buffer, message: Buffer) => {
    onMessage(channel.toString(), message);
  });
};

const subscriberSettings = { autoResubscribe: false, enableOfflineQueue: false } satisfies RedisOptions;

const subscribeToServer = ({ address, channels, onMessage, onSubscribed }: SubscriberOptions): SubscriberConnection => {
  const client = openClient(address, { ...blockingOptions, ...subscriberSettings });
  listen(client, onMessage);
  client.on('ready', () => {
    if (channels().length > 0) client.subscribe(...channels()).then(onSubscribed, address.onError);
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

/** Time in ms between two checks whether the node answers and still is in the cluster: a node outside gets no messages. */
const checkIntervalMs = 1_000;

/**
 * Subscribes in a cluster, where each node passes on what is published at any: at one master, and at another when that one is
 * gone, does not answer, or has left the cluster.
 */
const subscribeToCluster = (
  { address, channels, onMessage, onSubscribed }: SubscriberOptions,
  cluster: Cluster,
): SubscriberConnection => {
  let client: Redis | null = null;
  let failures = 0;
  let reconnect: NodeJS.Timeout | undefined;
  let closed = false;

  const reconnectLater = (): void => {
    clearTimeout(reconnect);
    if (!closed) reconnect = setTimeout(open, failures === 0 ? 0 : retryStrategy(failures));
    failures += 1;
  };
  const leave = (from: Redis): void => {
    if (client !== from || reconnect !== undefined) return;
    from.removeAllListeners('end').removeAllListeners('messageBuffer').disconnect();
    reconnectLater();
  };
  const open = (): void => {
    reconnect = undefined;
    const node = pickMaster(cluster, client);
    if (node === undefined) return reconnectLater();
    const opened = node.duplicate({
      ...blockingOptions,
      ...subscriberSettings,
      lazyConnect: false,
      retryStrategy: () => null,
      commandTimeout: checkIntervalMs,
    });
    client = opened;
    listen(opened, onMessage);
    opened
      .on('error', address.onError)
      .on('end', () => {
        leave(opened);
      })
      .on('ready', () => {
        failures = 0;
        add(channels(), onSubscribed);
      });
  };
  /** Sends a command. Leaves a node that does not answer; the next one subscribes to all of `channels`. */
  const send = (command: (to: Redis) => Promise<unknown>, done = (): void => undefined): void => {
    const from = client;
    if (from?.status === 'ready')
      command(from).then(done, () => {
        leave(from);
      });
  };
  const add = (more: readonly string[], done?: () => void): void => {
    if (more.length > 0) send((to) => to.subscribe(...more), done);
  };
  const check = setInterval(() => {
    if (client !== null && cluster.status === 'ready' && !isMaster(cluster, client)) leave(client);
    else send((to) => to.ping());
  }, checkIntervalMs);
  check.unref();
  open();

  return {
    add: (channel) => {
      add([channel]);
    },
    remove: (channel) => {
      send((to) => to.unsubscribe(channel));
    },
    close: async () => {
      closed = true;
      clearInterval(check);
      clearTimeout(reconnect);
      if (client !== null) await closeClient(client);
    },
  };
};

/** Opens a subscriber connection to the kind of Redis that `command` is connected to. */
export const openSubscriber = (options: SubscriberOptions): SubscriberConnection =>
  options.command instanceof Cluster ? subscribeToCluster(options, options.command) : subscribeToServer(options);
