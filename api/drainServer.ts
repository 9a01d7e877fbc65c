/** Ends a listening server without dropping a request; used by server.ts. */
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/** The fraction of the drain for which idle connections stay open: a request may be on its way. */
const idleFraction = 1 / 4;
const pollMs = 50;
/** The longest time to accept pending connections, in milliseconds, also when more keep arriving. */
const acceptWindowMs = 100;

/** Accepts the connections that wait in the kernel, which closing would reset. Node accepts one in a turn of the event loop. */
const acceptPending = async (server: Server): Promise<void> => {
  let came = true;
  const note = (): void => {
    came = true;
  };
  server.on('connection', note);
  for (const until = performance.now() + acceptWindowMs; came && performance.now() < until;) {
    came = false;
    for (let turns = 0; turns < 2; turns++)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
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
      server.closeIdleConnections();
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
};
