/** Ends a listening server without dropping a request; used by server.ts. */
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/** The fraction of the drain for which idle connections stay open: a request may be on its way. */
const idleFraction = 1 / 4;
const pollMs = 50;
/** The longest time to accept pending connections, in milliseconds, also when more keep arriving. */
const acceptWindowMs = 2_000;
/** ms that a turn of the event loop takes in which nearly nothing is done. */
const quietTurnMs = 0.5;

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/**
 * Accepts the connections that wait in the kernel, which closing would reset: until a turn of the event loop, which accepts one,
 * brings none and ends at once, so that hardly any can have come since it looked.
 */
const acceptPending = async (server: Server): Promise<void> => {
  let came = false;
  const note = (): void => {
    came = true;
  };
  server.on('connection', note);
  let isQuiet = false;
  for (const until = performance.now() + acceptWindowMs; !isQuiet && performance.now() < until;) {
    await nextTurn();
    came = false;
    const since = performance.now();
    await nextTurn();
    isQuiet = !came && performance.now() - since < quietTurnMs;
  }
  server.off('connection', note);
};

/**
 * Stops listening, calls `begin`, and resolves when `begin` and the last connection have ended; connections are closed after
 * `drainMs` milliseconds. From `begin` on every response needs `connection: close`, so that connections end by themselves;
 * not before, because a client that gets it reconnects, to this server as long as it listens.
 */
export const drainServer = async (server: Server, drainMs: number, begin: () => Promise<unknown>): Promise<void> => {
  await acceptPending(server);
  let poll: NodeJS.Timeout | undefined;
  const quiet = setTimeout(() => {
    poll = setInterval(() => {
      // An immediate runs after everything that has arrived was read: no connection counts as idle whose request waits in the kernel.
      setImmediate(() => {
        server.closeIdleConnections();
      });
    }, pollMs);
  }, drainMs * idleFraction);
  const late = setTimeout(() => {
    server.closeAllConnections();
  }, drainMs);
  // Not HTTP's own `close`, which ends idle connections at once, also one on which a request is just arriving.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => {
      resolve();
    });
  });
  await Promise.all([closed, begin()]);
  clearTimeout(quiet);
  clearTimeout(late);
  clearInterval(poll);
  // Stops HTTP's check for slow connections. Its timer would keep the server, and everything that the server uses, in memory.
  server.close();
};
