/** The HTTP server of an API process, which listens before the process can serve. Opened by main.ts and server.ts. */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';
import { errors } from '../shared/catalogue/errors.ts';
import { limits } from '../shared/catalogue/limits.ts';
import type { Config } from '../shared/platform/config/config.ts';
import { answerProbes, openProbeServer, startingProbes, type ProbeServer } from '../shared/platform/health/probes.ts';
import { securityHeaders, listen } from '../shared/platform/http.ts';
import { newId } from '../shared/platform/ids.ts';

export interface Listener {
  readonly server: Server;
  readonly port: number;
  /** The server of PROBE_PORT; null: the probes are pages of `server`. */
  readonly probeServer: ProbeServer | null;
  /** Serves requests by `handle` from now on. Until then all but the probes are 503. */
  serve(handle: (req: IncomingMessage, res: ServerResponse) => unknown): void;
}

const rawResponse = (
  common: Readonly<Record<string, string>>,
  code: 'headers_too_large' | 'uri_too_long' | 'invalid',
  message: string = errors[code].message,
): string => {
  const { status } = errors[code];
  const body = JSON.stringify({ error: message, code });
  return [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(common).map(([name, value]) => `${name}: ${value}`),
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
const answerBrokenRequests = (server: Server, common: Readonly<Record<string, string>>): void => {
  server.on('clientError', (error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket) => {
    // Browsers open connections ahead, and may send their first request as this one is answered for having sent none.
    const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket instanceof Socket && socket.bytesRead === 0;
    if (isUnused || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (error.code !== 'HPE_HEADER_OVERFLOW')
      socket.end(rawResponse(common, 'invalid', 'This is not a valid HTTP request.'));
    else socket.end(rawResponse(common, hasLongAddress(error.rawPacket) ? 'uri_too_long' : 'headers_too_large'));
  });
};

const starting = {
  status: errors.unavailable.status,
  body: { error: 'This process is starting; try again after retry-after seconds.', code: 'unavailable' },
  headers: { 'retry-after': '1' },
};

/** The absolute form of a request's target, as clients of a proxy send it (RFC 9112, 3.2.2): its host and what follows. */
const absoluteTarget = /^https?:\/\/([^/?#@\s]+)(.*)$/i;

/** Gives a request in absolute form the form of all others. The host of the target counts, whatever the header says. */
export const toOriginForm = (req: IncomingMessage): void => {
  if (req.url?.startsWith('/') !== false) return;
  const [, host, rest = ''] = absoluteTarget.exec(req.url ?? '') ?? [];
  if (host === undefined) return;
  req.url = rest.startsWith('/') ? rest : `/${rest}`;
  req.headers.host = host;
};

export const openListener = async (config: Config): Promise<Listener> => {
  let current: Parameters<Listener['serve']>[0] = answerProbes(config, () => startingProbes, starting);
  const handle: RequestListener = (req, res) => {
    toOriginForm(req);
    current(req, res);
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
  answerBrokenRequests(server, securityHeaders(config));
  await listen(server, config.port, config.host);
  const address = server.address();
  return {
    server,
    port: typeof address === 'object' && address !== null ? address.port : config.port,
    probeServer: config.probePort === null ? null : await openProbeServer(config, config.probePort),
    serve: (next) => {
      current = next;
    },
  };
};
