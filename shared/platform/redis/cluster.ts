/** A Redis Cluster as a client of ours (client.ts): what ioredis leaves open for a single server's promises to hold there too. */
import { Cluster, type Command, type Redis, type RedisOptions } from 'ioredis';
import type { ClusterAddress } from '../core/redisUrl.ts';

/**
 * ms between looks at who has which slots. Whoever is sent elsewhere looks at once; this is for a node that has frozen
 * and was replaced, as it sends nobody anywhere.
 */
const refreshMs = 5_000;

/** Names are left to the connection: TLS checks them, and they may lead elsewhere after a failover. */
const dnsLookup = (name: string, found: (error: null, address: string) => void): void => {
  found(null, name);
};

/** ioredis counts a command's time from when a node has got it; what waits for the cluster to be there must fail as well. */
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

/** Whether a connection leads to one of the masters, as far as the cluster's client knows them now. */
export const isMaster = (cluster: Cluster, to: Redis): boolean =>
  cluster.nodes('master').some((node) => nodeAddress(node) === nodeAddress(to));

/** Any master, but `not` only when there is no other. */
export const pickMaster = (cluster: Cluster, not: Redis | null = null): Redis | undefined => {
  const nodes = cluster.nodes('master');
  const others = not === null ? nodes : nodes.filter((node) => nodeAddress(node) !== nodeAddress(not));
  const among = others.length > 0 ? others : nodes;
  return among[Math.floor(Math.random() * among.length)];
};

export interface StickyNode {
  /** The node to use now; undefined while there is none. */
  get(): Redis | undefined;
  /** It didn't answer: another one from now on. */
  discard(): void;
}

/** One and the same node of a cluster until it fails: messages that are published through it keep their order. */
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
