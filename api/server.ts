/** The listening server with HTTP, live streams and app link, and its drain, which drops no accepted request. Started by main.ts. */
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { subscribeToRunChanges } from '../shared/actions/runChanges.ts';
import { errors } from '../shared/catalogue/errors.ts';
import { limits } from '../shared/catalogue/limits.ts';
import { closeDeps, type Deps } from '../shared/deps.ts';
import { newId } from '../shared/platform/core/ids.ts';
import { createApi } from './app.ts';
import { createAppServer } from './applink/index.ts';
import { drainServer } from './drainServer.ts';
import { createRateLimiter } from './http/rateLimiter.ts';
import { createLive } from './live/index.ts';

export interface RunningServer {
  readonly port: number;
  /** Drains for at most `drainMs` and closes the dependencies; may be called twice. */
  stop(): Promise<void>;
}

const rawResponse = (
  code: 'headers_too_large' | 'uri_too_long' | 'invalid',
  message: string = errors[code].message,
): string => {
  const { status } = errors[code];
  const body = JSON.stringify({ error: message, code });
  return [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${String(Buffer.byteLength(body))}`,
    `x-request-id: ${newId('req')}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
};

/** Returns whether a head was too large because of its first line: it begins with a method and does not end. */
const hasLongAddress = (packet: Buffer | undefined): boolean =>
  packet !== undefined &&
  /^[A-Z]{3,10} \//.test(packet.toString('latin1', 0, 20)) &&
  !packet.subarray(0, limits.urlBytes).includes('\n');

/** Responds to requests that Node's parser refuses, which never reach Koa, with an error of the usual form. */
const answerBrokenRequests = (server: Server): void => {
  server.on('clientError', (error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (error.code !== 'HPE_HEADER_OVERFLOW') socket.end(rawResponse('invalid', 'This is not a valid HTTP request.'));
    else socket.end(rawResponse(hasLongAddress(error.rawPacket) ? 'uri_too_long' : 'headers_too_large'));
  });
};

export const startServer = async (deps: Deps): Promise<RunningServer> => {
  const { config } = deps;
  subscribeToRunChanges(deps.bus);
  const rate = createRateLimiter(deps);
  const live = createLive(deps, rate);
  const apps = createAppServer(deps, rate);
  const api = createApi(deps, live, rate);
  const callback = api.koa.callback();
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    void callback(req, res);
  };
  // Node's own responses to a missing host and an unknown expectation are not JSON.
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      requestTimeout: 20_000,
      headersTimeout: 15_000,
      connectionsCheckingInterval: 5_000,
      keepAliveTimeout: 65_000,
      requireHostHeader: false,
    },
    handle,
  );
  server.on('checkExpectation', handle);
  server.on('connection', (socket: Socket) => socket.setNoDelay(true));
  answerBrokenRequests(server);
  live.attach(server, { app: apps.upgrade });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    await drainServer(server, config.drainMs, () => Promise.all([api.idle(), live.stop(), apps.stop()]));
    rate.close();
    await closeDeps(deps);
  };
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : config.port,
    stop: () => (stopped ??= stop()),
  };
};
