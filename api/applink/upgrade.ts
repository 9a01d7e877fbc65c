/** `GET /api/env/:environment/app`: what can be refused is refused as HTTP, before the upgrade (contract section 10). */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import { linkLimits, subprotocol } from '../../shared/applink/protocol.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { newId } from '../../shared/core/ids.ts';
import { closed } from '../../shared/core/schema.ts';
import { faultOf, refuse, requestIdOf } from '../live/refusal.ts';
import type { UpgradeHandler } from '../live/upgrade.ts';
import { addressOf, authenticate, callerIn } from '../middleware/authenticate.ts';
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

export const createAppUpgrade = ({ deps, sockets: held }: AppContext, hub: AppHub): UpgradeHandler => {
  const requestIds = new WeakMap<IncomingMessage, string>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: linkLimits.frameBytes,
    perMessageDeflate: false,
    handleProtocols: () => subprotocol,
  });
  sockets.on('headers', (headers, request) => {
    headers.push(`x-request-id: ${requestIds.get(request) ?? ''}`);
  });
  sockets.on('wsClientError', (error, socket, request) => {
    refuse(socket, fault('invalid', `${error.message}.`, { headers: { 'sec-websocket-version': '13' } }), requestIds.get(request) ?? newId('req'));
  });

  const open = async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    const [address = '', search = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    const who = await authenticate(deps, request);
    const from = addressOf(request, deps.config.trustProxy);
    const { env } = callerIn(deps, who, decoded(path.exec(address)?.[1] ?? ''), requestIds.get(request) ?? '', from);
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
    requestIds.set(request, requestId);
    open(request, socket as Socket, head).catch((error: unknown) => {
      refuse(socket, faultOf(error, deps.log, requestId), requestId);
    });
  };
};
