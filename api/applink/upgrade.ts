/** `GET /api/env/:environment/app`: refuses as HTTP, before the upgrade, all that can be refused. Used by index.ts. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { linkLimits, subprotocol } from '../../shared/app/link/protocol.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { securityHeaders } from '../../shared/platform/http.ts';
import { strictObject } from '../../shared/platform/json/schema.ts';
import { readUpgradeRequestId, refuseUpgrade, toUpgradeFault, logRefusedSocket, logSocket } from '../http/accessLog.ts';
import { authenticateRequest, learnEnvironment, resolveCaller } from '../http/credentials.ts';
import { createQueryParser } from '../http/queryParser.ts';
import type { RateLimiter, ResponseHeaders } from '../http/rateLimiter.ts';
import { clientAddress } from '../http/requestHeaders.ts';
import type { UpgradeHandler } from '../live/upgrade.ts';
import type { AppContext } from './context.ts';
import type { AppHub } from './hub.ts';

const readQuery = createQueryParser(strictObject({}));
const path = /^\/api\/env\/([^/]+)\/app$/;

const offersSubprotocol = ({ headers }: IncomingMessage): boolean =>
  (headers['sec-websocket-protocol'] ?? '').split(',').some((name) => name.trim() === subprotocol);

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

export const createAppUpgrade = (
  { deps, sockets: held }: AppContext,
  hub: AppHub,
  rate: RateLimiter,
): UpgradeHandler => {
  const common = securityHeaders(deps.config);
  const headersOf = new WeakMap<IncomingMessage, ResponseHeaders>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: linkLimits.frameBytes,
    perMessageDeflate: false,
    handleProtocols: () => subprotocol,
  });
  sockets.on('headers', (headers, request) => {
    for (const [name, value] of Object.entries(headersOf.get(request) ?? {})) headers.push(`${name}: ${value}`);
  });
  sockets.on('wsClientError', (error, socket, request) => {
    refuseUpgrade(
      socket,
      fault('invalid', `${error.message}.`, { headers: { 'sec-websocket-version': '13' } }),
      headersOf.get(request) ?? {},
    );
  });

  const open = async (
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    headers: ResponseHeaders,
  ): Promise<void> => {
    const [address = '', search = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    const from = clientAddress(request, deps.config.trustProxy);
    const who = await rate.count(authenticateRequest(deps, request), from, headers);
    const environment = decoded(path.exec(address)?.[1] ?? '');
    await learnEnvironment(deps, environment);
    const { env } = resolveCaller(deps, who, environment, headers['x-request-id'] ?? '', from);
    if (request.method !== 'GET') throw fault('method_not_allowed', undefined, { headers: { allow: 'GET' } });
    if (who.principal.type !== 'app') throw fault('forbidden');
    readQuery(search);
    if (!offersSubprotocol(request))
      throw fault('invalid', `sec-websocket-protocol must offer ${subprotocol}.`, {
        details: [{ path: 'sec-websocket-protocol', message: `must offer ${subprotocol}` }],
      });
    if (held.draining) throw fault('unavailable', 'The server is restarting.');
    sockets.handleUpgrade(request, socket, head, (ws) => {
      hub.open({ ws, socket, who, envId: env.id, address: from });
      const requestId = headers['x-request-id'] ?? '';
      const principal = who.principal.id;
      logSocket(deps, ws, { requestId, route: '/app', address: from, environment: env.name, principal });
    });
  };

  return (request, socket, head) => {
    const requestId = readUpgradeRequestId(request);
    const headers = { ...common, 'x-request-id': requestId };
    headersOf.set(request, headers);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the HTTP server has only sockets of `net`
    open(request, socket as Socket, head, headers).catch((error: unknown) => {
      const failure = toUpgradeFault(error, deps.log, requestId);
      const address = clientAddress(request, deps.config.trustProxy);
      logRefusedSocket(deps, failure, { requestId, route: '/app', address });
      refuseUpgrade(socket, failure, headers);
    });
  };
};
