/** Makes a server listen, with an error that says where and why it can't. Used by the API's listener, health/, and both main files. */
import type { Server } from 'node:net';

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
