/** Opens the service's Redis connections, to a server or to a cluster, with the timeouts and sticky nodes that ioredis lacks there. Each reconnects for ever with short waits, and has an `error` listener. */
import { type RedisOptions, type StandaloneConnectionOptions, type Command, Redis, Cluster } from 'ioredis';
import standalone from 'ioredis/built/connectors/StandaloneConnector.js';
import { type ClusterAddress, parseClusterUrl } from '../config/configValues.ts';
import { backoffMs } from '../time/clock.ts';

/**
 * Time between two readings of the slots, in ms. A redirection also causes a reading; the interval is for a frozen node that
 * was replaced, as it redirects nobody.
 */
const refreshMs = 5_000;

/** Leaves names unresolved: TLS checks them, and they may have another address after a failover. */
const dnsLookup = (name: string, found: (error: null, address: string) => void): void => {
  found(null, name);
};

/** A cluster whose command timeout also covers the wait for a connection; ioredis counts from when a node has the command. */
class TimedCluster extends Cluster {
  readonly #ms: number | undefined;

  constructor({ nodes, username, password, tls }: ClusterAddress, options: RedisOptions) {
    const { retryStrategy, enableOfflineQueue = true, lazyConnect = false, replyMapping: _, ...others } = options;
    const secrets = {
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(tls ? { tls: {} } : {}),
    };
    super([...nodes], {
      clusterRetryStrategy: (times) => retryStrategy?.(times),
      enableOfflineQueue,
      lazyConnect,
      slotsRefreshInterval: refreshMs,
      dnsLookup,
      redisOptions: { ...others, ...secrets },
    });
    this.#ms = options.commandTimeout;
  }

  override sendCommand(command: Command, ...rest: [stream?: never, node?: unknown]): unknown {
    if (this.#ms !== undefined) command.setTimeout(this.#ms);
    return super.sendCommand(command, ...rest);
  }
}

const nodeAddress = ({ options: { host, port } }: Redis): string => `${String(host)}:${String(port)}`;

/** Returns whether a connection leads to a node that the client knows as a master now. */
export const isMaster = (cluster: Cluster, to: Redis): boolean =>
  cluster.nodes('master').some((node) => nodeAddress(node) === nodeAddress(to));

/** Returns a master at random, `not` only when there is no other; undefined when none is known. */
export const pickMaster = (cluster: Cluster, not: Redis | null = null): Redis | undefined => {
  const nodes = cluster.nodes('master');
  const others = not === null ? nodes : nodes.filter((node) => nodeAddress(node) !== nodeAddress(not));
  const among = others.length > 0 ? others : nodes;
  return among[Math.floor(Math.random() * among.length)];
};

export interface StickyNode {
  /** Returns the node to use; undefined while none is known. */
  get(): Redis | undefined;
  /** Picks another node, as this one did not answer. */
  discard(): void;
}

/** Returns one node of a cluster until it fails, so that messages published through it keep their order. */
export const createStickyNode = (cluster: Cluster): StickyNode => {
  let node: Redis | undefined;
  return {
    get: () => {
      if (node === undefined || !cluster.nodes('master').includes(node)) node = pickMaster(cluster);
      return node;
    },
    discard: () => {
      node = pickMaster(cluster, node);
    },
  };
};

/** Connects to a Redis server for client.ts, with an `error` listener on the socket that stays. */
type Connect = InstanceType<typeof standalone.default>['connect'];

/**
 * ioredis listens to the first error of a socket alone, and a TLS handshake that fails may bring two (the certificate is
 * refused here, and an alert comes after it): the second one would end the process.
 */
class SafeConnector extends standalone.default {
  constructor(options: unknown) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the options of the client, which ioredis passes on
    super(options as StandaloneConnectionOptions);
  }

  override async connect(...args: Parameters<Connect>): ReturnType<Connect> {
    const socket = await super.connect(...args);
    socket.on('error', () => undefined);
    return socket;
  }
}

/** A single server, or a cluster. Its commands and scripts name one key each, as only those work in both. */
export type RedisClient = Redis | Cluster;

export interface RedisAddress {
  /** REDIS_URL (shared/platform/config/config.ts). */
  readonly url: string;
  /** Prefix of every key and channel; letters, digits, `_` and `-`. */
  readonly prefix: string;
  /** Gets each connection error; never throws. */
  readonly onError: (error: Error) => void;
}

/** Returns the ms until the next try: 50, 100, 200 … up to 1 s, less up to half at random, so that processes don't return all at once. */
export const retryStrategy = (times: number): number => backoffMs(times, 50, 1000) * (1 - Math.random() / 2);

const baseOptions = {
  retryStrategy,
  connectTimeout: 3000,
  keepAlive: 10_000,
  disableClientInfo: true,
  Connector: SafeConnector,
} satisfies RedisOptions;

/** Options for commands that a request waits for: without a connection they fail at once, without an answer after 500 ms. */
export const failFastOptions: RedisOptions = {
  ...baseOptions,
  maxRetriesPerRequest: 1,
  enableOfflineQueue: false,
  commandTimeout: 500,
};

/**
 * Options for adding to queues. The first job of a process finds its connection still opening, hence the offline queue; a
 * batch of some hundred jobs takes longer than one command, hence 2 s.
 */
export const producerOptions: RedisOptions = { ...baseOptions, maxRetriesPerRequest: 1, commandTimeout: 2000 };

/** Options for connections that block: BullMQ's workers, subscriptions. Their commands wait for a reconnect instead of failing. */
export const blockingOptions = { ...baseOptions, maxRetriesPerRequest: null } satisfies RedisOptions;

/** Opens a connection to the server or cluster of `url`. Never throws for a Redis that is unavailable. */
export const openClient = ({ url, onError }: RedisAddress, options: RedisOptions): RedisClient => {
  const cluster = parseClusterUrl(url);
  // The overloads of ioredis don't take options whose `replyMapping` is not known.
  const { replyMapping: _, ...others } = options;
  const client = cluster === null ? new Redis(url, others) : new TimedCluster(cluster, others);
  client.on('error', onError);
  return client;
};

/** Closes a connection after the commands that were sent, within 500 ms. Never rejects. */
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
