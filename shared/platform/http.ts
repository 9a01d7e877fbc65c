/** Functions for all HTTP servers of API and workers: listening, the headers of every response, and the address of a client. */
import type { Server } from 'node:net';
import type { Config } from './config/config.ts';

/**
 * Returns what a limit by address counts: an IPv4 address itself, of IPv6 its first 64 bits, as one customer of a provider
 * has all the others. `address` is in its shortest form; clients without one count as one.
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

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have that address (HOST)',
  ENOTFOUND: 'the name of HOST is not known',
};

/** Its message says where and why a process can't listen. */
class ListenError extends Error {}

/** Returns what `open` resolves with; a port that is taken ends the process with one sentence. */
export const listenOrExit = async <T>(open: () => Promise<T>): Promise<T> => {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
};

/** Resolves when the server listens. Throws when the port is taken or not allowed. */
export const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = reasons[error.code ?? ''];
      reject(
        reason === undefined
          ? error
          : new ListenError(`The process can't listen on ${host}:${String(port)}: ${reason}.`, { cause: error }),
      );
    });
    server.listen(port, host, resolve);
  });

/** A year, in seconds: how long browsers keep to TLS once they have heard of it. */
const strictTransportSeconds = 31_536_000;

/**
 * Returns the headers for responses that no browser renders. Nothing is cached, guessed to be a page, framed, or read by
 * pages of other sites; addresses are not passed on as referrers. With an https address, browsers keep to TLS.
 */
export const securityHeaders = ({ publicUrl }: Pick<Config, 'publicUrl'>): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  ...(publicUrl.startsWith('https:')
    ? { 'strict-transport-security': `max-age=${String(strictTransportSeconds)}` }
    : {}),
});
