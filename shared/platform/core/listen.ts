/** Makes a server listen, with an error that says where and why it can't. Used by the API's listener and by health/. */
import type { Server } from 'node:net';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not listen there',
};

/** Resolves when the server listens. Throws when the port is taken or not allowed. */
export const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = reasons[error.code ?? ''];
      reject(
        reason === undefined
          ? error
          : new Error(`The process can't listen on ${host}:${String(port)}: ${reason}.`, { cause: error }),
      );
    });
    server.listen(port, host, resolve);
  });
