/** `GET /api/env/:environment/app`: what can be refused is refused as HTTP, before the upgrade (contract section 10). */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { linkLimits, subprotocol } from '../../shared/applink/protocol.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { closed } from '../../shared/platform/core/schema.ts';
import { faultOf, refuse, requestIdOf } from '../live/refusal.ts';
import type { UpgradeHandler } from '../live/upgrade.ts';
import { addressOf, authenticate, callerIn } from '../middleware/authenticate.ts';
import type { RateLimit, SentHeaders } from '../middleware/rateLimit.ts';
import { queryReader } from '../query.ts';
import type { AppContext } from './context.ts';
import type { AppHub } from './hub.ts';

const readQuery = queryReader(closed({}));
const path = /^\/api\/env\/([^/]+)\/app$/;

const offers = ({ headers }: IncomingMessage): boolean =>
  (headers['sec-websocket-protocol'] ?? '').split(',').some((name) => name.trim() === subprotocol);

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

export const createAppUpgrade = ({ deps, sockets: held }: AppContext, hub: AppHub, rate: RateLimit): UpgradeHandler => {
  const headersOf = new WeakMap<IncomingMessage, SentHeaders>();
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
    refuse(socket, fault('invalid', `${error.message}.`, { headers: { 'sec-websocket-version': '13' } }), headersOf.get(request) ?? {});
  });

  const open = async (request: IncomingMessage, socket: Socket, head: Buffer, headers: SentHeaders): Promise<void> => {
    const [address = '', search = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    const from = addressOf(request, deps.config.trustProxy);
    const who = await rate.count(authenticate(deps, request), from, headers);
    const { env } = callerIn(deps, who, decoded(path.exec(address)?.[1] ?? ''), headers['x-request-id'] ?? '', from);
    if (request.method !== 'GET') throw fault('method_not_allowed', undefined, { headers: { allow: 'GET' } });
    if (who.principal.type !== 'app') throw fault('forbidden');
    readQuery(search);
    if (!offers(request)) throw fault('invalid', `sec-websocket-protocol must offer ${subprotocol}.`, { details: [{ path: 'sec-websocket-protocol', message: `must offer ${subprotocol}` }] });
    if (held.draining) throw fault('unavailable', 'The server is restarting.');
    sockets.handleUpgrade(request, socket, head, (ws) => {
      hub.open({ ws, socket, who, env: env.id, address: from });
    });
  };

  return (request, socket, head) => {
    const requestId = requestIdOf(request);
    const headers = { 'x-request-id': requestId };
    headersOf.set(request, headers);
    open(request, socket as Socket, head, headers).catch((error: unknown) => {
      refuse(socket, faultOf(error, deps.log, requestId), headers);
    });
  };
};
