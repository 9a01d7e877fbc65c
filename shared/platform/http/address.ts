/** IP addresses of clients in one form, and the block of addresses that a limit counts. Used by api/http and accounts/signInThrottle.ts. */
import { isIPv4, isIPv6 } from 'node:net';

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
export const parseAddress = (text: string): string | null => {
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

/**
 * Returns what a limit by address counts: an IPv4 address itself, of IPv6 its first 64 bits, as one customer of a provider
 * has all the others. `address` has the form of `parseAddress`; clients without one count as one.
 */
export const addressBlock = (address: string | null): string => {
  if (address === null) return 'unknown';
  if (!address.includes(':')) return address;
  const [start = '', end = ''] = address.split('::');
  const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groupsOf(start), groupsOf(end)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`;
};
