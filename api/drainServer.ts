/** How a listening server ends without dropping a request; used by server.ts. */
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/** What part of the time to drain a kept-alive connection may stay idle: a request may be on its way on it. */
const idleFraction = 1 / 4;
const pollMs = 50;
/** Taking those that wait must end, also where there is always one more. */
const acceptWindowMs = 100;

/** Takes the connections that the kernel has accepted: closing would reset them. Node takes one a turn of its loop. */
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
 * Stops listening, calls `begin`, and answers when that and the last connection have ended, connections after `drainMs`. From
 * `begin` on every answer has to say `connection: close`, so that the connections end by themselves; not before, as who
 * is told so connects anew, here as long as this server listens.
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
