// Finds free TCP ports of this machine and sends lines to ports; used by the launcher, and by tests.
import { connect, createServer } from 'node:net';

/**
 * Returns whether a server can listen on a port now. Both the loopback and all addresses are tried, because another program's
 * wildcard socket does not always stop a loopback one, and the other way round.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export async function isFree(port) {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, undefined));
}

/**
 * Returns a port that no process listens on. Another process may take it before the caller does: callers try again.
 * @returns {Promise<number>}
 */
export function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address && typeof address === 'object' ? done(address.port) : fail(new Error('no port'))));
    });
  });
}

/**
 * Returns the wished port, or the next free one above it; any free one for 0.
 * @param {number} wished
 * @returns {Promise<number>}
 */
export async function freePortFrom(wished) {
  if (wished === 0) return freePort();
  for (let port = wished; port < Math.min(wished + 100, 65_536); port += 1) if (await isFree(port)) return port;
  return freePort();
}

/**
 * Sends a line and returns the first piece of the reply; undefined if there is none within a second.
 * @param {number} port
 * @param {string} line
 * @returns {Promise<string | undefined>}
 */
export function askLine(port, line) {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const end = (/** @type {string | undefined} */ answer) => {
      socket.destroy();
      done(answer);
    };
    socket.setTimeout(1_000, () => end(undefined));
    socket.on('error', () => end(undefined));
    socket.on('close', () => end(undefined));
    socket.on('connect', () => socket.write(line));
    socket.once('data', (data) => end(data.toString('latin1')));
  });
}

/**
 * @param {number} port
 * @param {string | undefined} host
 * @returns {Promise<boolean>}
 */
function canListen(port, host) {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(true)));
  });
}
