// Finds free TCP ports of this machine and sends lines to ports; used by the launcher, and by tests.
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { StartFailure } from './say.mjs';

/**
 * Returns whether a server can listen on a port now. Both the loopback and all addresses are tried, because another program's
 * wildcard socket does not always stop a loopback one, and the other way round.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export async function isFree(port) {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, undefined));
}

/** Ports below those that systems hand out themselves, to outgoing connections and to programs that listen on port 0. */
const [firstPort, ports] = [12_000, 20_000];

/**
 * Returns a port that no process listens on, and that the system gives to nobody else meanwhile. Another process may choose the same
 * one before the caller listens, which is rare: callers that can, try again.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const port = firstPort + randomInt(ports);
    if (await isFree(port)) return port;
  }
  throw new StartFailure('There is no free port on 127.0.0.1.');
}

/**
 * Takes the wished port, or the next free one above it, so that no other process gets it before the program that it is for; any free
 * one for 0. Whoever connects meanwhile is cut off.
 * @param {number} wished
 * @returns {Promise<{ port: number, release: () => Promise<void> }>}
 */
export async function holdPortFrom(wished) {
  for (let port = wished; port > 0 && port < Math.min(wished + 100, 65_536); port += 1) {
    const held = (await canListen(port, undefined)) ? await hold(port) : undefined;
    if (held) return held;
  }
  const held = await hold(0);
  if (!held) throw new StartFailure('There is no free port on 127.0.0.1.');
  return held;
}

/**
 * @param {number} wished
 * @returns {Promise<{ port: number, release: () => Promise<void> } | undefined>} undefined: another process has it
 */
function hold(wished) {
  return new Promise((done) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => done(undefined));
    server.listen({ port: wished, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      const port = address && typeof address === 'object' ? address.port : wished;
      done({ port, release: () => new Promise((released) => server.close(() => released())) });
    });
  });
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
 * Returns whether a program listens on a port of this machine. Unlike `isFree` it takes the port from nobody meanwhile, so that it can
 * be asked while the program starts.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function isListening(port) {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    const end = (/** @type {boolean} */ answer) => {
      socket.destroy();
      done(answer);
    };
    socket.once('error', () => end(false));
    socket.once('connect', () => end(true));
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
