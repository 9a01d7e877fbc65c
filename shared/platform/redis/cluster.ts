/** Redis Cluster for client.ts, redisBus.ts and subscriberConnection.ts: adds the command timeouts and sticky nodes that ioredis lacks there. */
import { Cluster, type Command, type Redis, type RedisOptions } from 'ioredis';
import type { ClusterAddress } from '../config/redisUrl.ts';

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

export const openCluster = (address: ClusterAddress, options: RedisOptions): Cluster =>
  new TimedCluster(address, options);

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
