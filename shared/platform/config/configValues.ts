/** The values of environment variables: each function returns the one that a text stands for, undefined for a wrong text. Used by config.ts, openIdConfig.ts and redis/client.ts. */
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';
import { limits } from '../../catalogue/limits.ts';

/** Returns whether a machine is a trusted proxy, by its address and the number of machines between it and this process. */
export type ProxyTrust = (address: string, hop: number) => boolean;

export interface Variable<T> {
  readonly name: string;
  readonly example: string;
  /** The accepted values, where the example alone does not say them. */
  readonly takes?: string;
  readonly fallback?: (env: NodeJS.ProcessEnv) => T;
  readonly parse: ((value: string) => T | undefined) & { readonly takes?: string };
}

/** Returns the value of a variable; may return one of no use after a problem. */
export type Read = <T>(env: NodeJS.ProcessEnv, variable: Variable<T>) => T;

export const url =
  (...protocols: string[]) =>
  (value: string): string | undefined =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol) ? value : undefined;
/** Returns a list of origins as browsers send them. */
export const origins = (value: string): readonly string[] | undefined => {
  const list = value.split(',').map((origin) => url('http:', 'https:')(origin.trim()));
  const parsed = list.map((origin) => (origin === undefined ? undefined : new URL(origin)));
  const named = parsed.flatMap((origin) => (origin?.href === `${origin?.origin ?? ''}/` ? [origin.origin] : []));
  return named.length === list.length ? named : undefined;
};
/** Decodes name and password as composeMail.ts and smtp.ts do, so that a stray percent sign stops the start. */
export const mailUrl = (value: string): string | undefined => {
  try {
    const { hostname, username, password } = new URL(value);
    decodeURIComponent(username + password);
    return hostname === '' ? undefined : url('smtp:', 'smtps:')(value);
  } catch {
    return undefined;
  }
};
export const redisUrl = (value: string): string | undefined =>
  parseClusterUrl(value) === null ? url('redis:', 'rediss:')(value) : value;
/** Returns a parser of whole numbers of a range, which it tells. */
export const integer = (least: number, most: number) =>
  Object.assign(
    (value: string): number | undefined => {
      const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
      return number >= least && number <= most ? number : undefined;
    },
    { takes: `a whole number from ${String(least)} to ${String(most)}` },
  );
/**
 * Returns an address of PostgreSQL. The modes that the driver takes for `verify-full`, with a warning of Node's, are written as
 * that; `uselibpqcompat` gives them their own meaning.
 */
export const postgresUrl = (value: string): string | undefined => {
  const given = url('postgres:', 'postgresql:')(value);
  return given?.includes('uselibpqcompat=') === true
    ? given
    : given?.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
};
const networkNames = ['loopback', 'linklocal', 'uniquelocal'];
/** Returns the function that recognises addresses of a list of networks; undefined for a list with anything else. */
export const networks = (value: string): ProxyTrust | undefined => {
  const list = value.split(',').map((network) => network.trim());
  // proxy-addr also takes numbers as addresses, as C did.
  const isNetwork = (network: string): boolean =>
    networkNames.includes(network) || isIP(network.replace(/\/\d{1,3}$/, '')) > 0;
  try {
    return list.every(isNetwork) ? proxyAddr.compile(list) : undefined;
  } catch {
    return undefined;
  }
};
/** Recognises the machine itself. */
export const loopback: ProxyTrust = proxyAddr.compile('loopback');
/** Proxies in a row; a request that passes more than this is in a circle. */
const hopsMost = 32;
export const proxies = (value: string): ProxyTrust | null | undefined => {
  const hops = integer(0, hopsMost)(value);
  if (hops === undefined) return networks(value);
  return hops === 0 ? null : (_address, hop) => hop < hops;
};
/** ms of a pause that ends a session, a second at least and no longer than a session; `0` stands for none. */
export const idleTime = (value: string): number | null | undefined =>
  value === '0' ? null : integer(1_000, limits.sessionMs)(value);
/** Days for which something is kept; 0 stands for ever. */
export const retentionDays = (value: string): number | undefined =>
  value === '0' ? 0 : integer(limits.retentionDaysMin, limits.retentionDaysMax)(value);
export const matching =
  (pattern: RegExp) =>
  (value: string): string | undefined =>
    pattern.test(value) ? value : undefined;

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
