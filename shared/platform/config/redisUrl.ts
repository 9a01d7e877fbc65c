/** Parses the addresses of a Redis Cluster in REDIS_URL, for config.ts and shared/platform/redis/client.ts. */

export interface ClusterAddress {
  /** Nodes from which the others are discovered; one that responds is enough. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
}

/** No database number: a cluster has one database. */
const form = /^redis(s?)-cluster:\/\/(?:([^/@:]*)(?::([^/@]*))?@)?([^/@]+)\/?$/;
const hostPattern = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::(\d{1,5}))?$/;

const parseNode = (text: string): { host: string; port: number } | null => {
  const [, host = '', port = '6379'] = hostPattern.exec(text) ?? [];
  const number = Number(port);
  return host === '' || number < 1 || number > 65_535 ? null : { host: host.replace(/^\[|\]$/g, ''), port: number };
};

const decodePart = (text: string | undefined): string | undefined =>
  text === undefined || text === '' ? undefined : decodeURIComponent(text);

/** Parses `redis-cluster://[name:password@]host[:port],…` (`rediss-cluster:` uses TLS). Returns null for any other form. */
export const parseClusterUrl = (url: string): ClusterAddress | null => {
  const [found, s, username, password, places = ''] = form.exec(url) ?? [];
  if (found === undefined) return null;
  const nodes = places.split(',').map(parseNode);
  try {
    const given = nodes.filter((node) => node !== null);
    return given.length < nodes.length
      ? null
      : { nodes: given, username: decodePart(username), password: decodePart(password), tls: s === 's' };
  } catch {
    // A stray percent sign in the name or the password.
    return null;
  }
};
