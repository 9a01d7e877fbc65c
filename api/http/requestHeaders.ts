/** What the headers of a request say of its client: its address and TLS, as the proxies that the configuration trusts report them, and values that are given twice. */
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { ProxyTrust } from '../../shared/platform/config/configValues.ts';

const none: readonly string[] = [];

/**
 * Returns the values of a header, whose `name` is in lower case, as Node's `headersDistinct` does, which makes an object of
 * all headers and so takes ten times as long.
 */
export const headerValues = (
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  name: string,
): readonly string[] => {
  if (headers[name] === undefined) return none;
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const given = rawHeaders[i] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '');
  }
  return values;
};

const withPort = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/;
const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/;
/** An IPv4 address inside IPv6 (RFC 4291, 2.5.5.2), as `URL` writes it. */
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
/** Longer than every address with brackets, a zone and a port. */
const addressLength = 100;

/**
 * Returns an IP address in its shortest form: IPv4 where IPv6 only wraps it, without zone, brackets and port, which some
 * proxies add. Returns null for any other text.
 */
const parseAddress = (text: string): string | null => {
  if (isIPv4(text)) return text;
  if (text.length > addressLength) return null;
  const trimmed = text.trim();
  const bare = withPort.exec(trimmed)?.[1] ?? bracketed.exec(trimmed)?.[1] ?? trimmed;
  if (isIPv4(bare)) return bare;
  const [address = ''] = bare.split('%', 1);
  if (!isIPv6(address)) return null;
  const shortest = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [, high, low] = mapped.exec(shortest) ?? [];
  if (high === undefined || low === undefined) return shortest;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((number) => [number >> 8, number & 255])
    .join('.');
};

type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Returns the client's address: the first one from the right, beginning with the connection's own, that is not a trusted
 * proxy's. Where that is no IP address, returns the one of the proxy that reported it; null when the connection is gone.
 */
export const clientAddress = (req: Request, trust: ProxyTrust | null): string | null => {
  if (trust === null) return parseAddress(req.socket.remoteAddress ?? '');
  for (const address of hops(req, trust).reverse()) {
    const parsed = parseAddress(address);
    if (parsed !== null) return parsed;
  }
  return null;
};

/** Returns the addresses from the connection's own to the client's. */
const hops = (req: Request, trust: ProxyTrust): string[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- proxy-addr reads only these two members
  proxyAddr.all(req as IncomingMessage, (address: string | undefined, hop) => {
    const text = address ?? '';
    return trust(parseAddress(text) ?? text, hop);
  });

/** Returns whether a trusted proxy reports that the client uses TLS. Of several reports, the one of the proxy next to the client counts. */
export const isForwardedSecure = (req: Request, trust: ProxyTrust | null): boolean => {
  const given = trust === null ? undefined : req.headers['x-forwarded-proto'];
  if (trust === null || given === undefined || !trust(parseAddress(req.socket.remoteAddress ?? '') ?? '', 0))
    return false;
  const schemes = String(given).slice(0, 1000).split(',');
  const proxies = Math.max(1, hops(req, trust).length - 1);
  return schemes.at(-Math.min(proxies, schemes.length))?.trim().toLowerCase() === 'https';
};
