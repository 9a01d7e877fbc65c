/** Compares a manifest with the one in force, by a dry run of its registration. For the command `check`. */
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { subprotocol, type AppCalls } from '../../app/link/protocol.ts';
import { linkAddress, parseRefusal, unreachable } from '../connectionRefusal.ts';
import { Peer } from '../peer.ts';
import { rpcErrorDetails, RpcFailed, type LinkProblem } from '../problems.ts';

type Registered = AppCalls['app.register']['result'];
export type Changes = NonNullable<Registered['changes']>;

interface Refused {
  readonly message: string;
  readonly problems: LinkProblem['details'];
}

const timeoutMs = 15_000;

/** Resolves with an open socket. Rejects with what the service says instead. */
const dial = (url: string, key: string): Promise<WebSocket> => {
  const socket = new WebSocket(linkAddress(url), subprotocol, {
    headers: { authorization: `Bearer ${key}` },
    handshakeTimeout: timeoutMs,
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      resolve(socket);
    });
    socket.on('error', (error) => {
      reject(unreachable(error));
    });
    socket.once('unexpected-response', (request, response) => {
      void parseRefusal(response, url).then(({ problem }) => {
        reject(problem);
        request.destroy();
      });
    });
  });
};

/** Resolves with what registering would change, or with the problems for which the service would refuse it. */
export const compareWithService = async (
  url: string,
  key: string,
  manifest: unknown,
): Promise<(Registered & { readonly changes: Changes }) | Refused> => {
  const socket = await dial(url, key);
  const peer = new Peer({
    serve: () => Promise.resolve({ result: null }),
    onNotification: () => undefined,
    onUnsendable: () => undefined,
    send: (frame) => {
      socket.send(frame);
    },
  });
  socket.on('message', (data: Buffer) => {
    peer.receive(data.toString());
  });
  socket.once('close', () => {
    peer.end();
  });
  try {
    const params = { instance: randomUUID(), startedAt: Date.now(), sdk: 'console-sdk/check', dryRun: true };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is an object, as the offline check found no problem
    const answer = await peer.request('app.register', { ...params, manifest: manifest as object as never }, timeoutMs);
    if (answer.changes === undefined) throw new Error('The service is older than this SDK, and can’t compare.');
    return { ...answer, changes: answer.changes };
  } catch (error) {
    if (!(error instanceof RpcFailed)) throw error;
    const problems = rpcErrorDetails(error.error);
    if (problems.some(({ path }) => path === 'dryRun'))
      throw new Error('The service is older than this SDK, and can’t compare.');
    return { message: error.error.message, problems };
  } finally {
    socket.close();
  }
};
