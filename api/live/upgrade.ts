/** `GET /api/env/:environment/live`: everything that can be refused is refused as HTTP, before the upgrade (contract section 9). */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { inEnvironment } from '../../shared/access/principal.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { closed, Type } from '../../shared/platform/core/schema.ts';
import { addressOf } from '../middleware/authenticate.ts';
import type { RateLimit, SentHeaders } from '../middleware/rateLimit.ts';
import { queryReader } from '../query.ts';
import type { LiveContext } from './context.ts';
import { authenticate, protocol } from './credential.ts';
import type { Feed } from './feed.ts';
import { httpAgain } from './httpAgain.ts';
import type { Hub } from './hub.ts';
import { openAfter } from './offsets.ts';
import { faultOf, refuse, requestIdOf } from './refusal.ts';
import { narrowingOf, narrowingQuery } from './requests.ts';
import type { Start } from './session.ts';

/** Takes an upgrade of its own path below `/api/env/:environment/`. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const readQuery = queryReader(closed({
  after: Type.Optional(Type.String({ description: 'The offset of the last message that the client has.' })),
  ticket: Type.Optional(Type.String({ description: 'A ticket of POST /live/tickets.' })),
  ...narrowingQuery,
}));
interface Query {
  readonly after?: string;
  readonly types?: string[];
  readonly inboxes?: string[];
}

const path = /^\/api\/env\/([^/]+)\/([^/]+)$/;
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

/** What breaks a socket also closes it, and that is listened to. */
const ignore = (): void => undefined;

interface Served {
  readonly feed: Feed;
  readonly hub: Hub;
  readonly rate: RateLimit;
}

export interface Upgrade {
  /** Handles the server's upgrades: `live` here, other paths by `others`, named by their last segment. */
  readonly attach: (server: Server, others?: Readonly<Record<string, UpgradeHandler>>) => void;
  /** Refuses every upgrade from now on. */
  readonly stop: () => void;
}

export const createUpgrade = (context: LiveContext, { feed, hub, rate }: Served): Upgrade => {
  const { deps } = context;
  const { directory, log, db, config } = deps;
  let stopping = false;
  const headersOf = new WeakMap<IncomingMessage, SentHeaders>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.liveFrameBytes,
    maxFragments: 64,
    maxBufferedChunks: 2 * limits.liveFrameBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });
  sockets.on('headers', (headers, request) => {
    for (const [name, value] of Object.entries(headersOf.get(request) ?? {})) headers.push(`${name}: ${value}`);
  });
  sockets.on('wsClientError', (error, socket, request) => {
    refuse(socket, fault('invalid', `${error.message}.`, { headers: { 'sec-websocket-version': '13' } }), headersOf.get(request) ?? {});
  });

  const open = async (request: IncomingMessage, socket: Duplex, head: Buffer, headers: SentHeaders): Promise<void> => {
    const [address = '', search = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    const [, name = '', last = ''] = path.exec(address) ?? [];
    if (!address.startsWith('/api/env/')) throw fault('not_found');
    const env = directory.environment(decoded(name));
    const who = await rate.count(authenticate(deps, request, last === 'live' ? env : undefined, search), addressOf(request, config.trustProxy), headers);
    if (last !== 'live' || env === undefined || !inEnvironment(who.principal.environments, env.name)) throw fault('not_found');
    if (request.method !== 'GET') throw fault('method_not_allowed', undefined, { headers: { allow: 'GET' } });
    if (who.principal.type === 'app') throw fault('forbidden');
    const query = readQuery(search) as Query;
    const narrowing = narrowingOf(query);
    const place = query.after === undefined ? null : await openAfter(db, env, directory.environments(), query.after);
    const start: Start = query.after === undefined || place === null ? { reset: null } : typeof place === 'string' ? { reset: place } : { after: query.after, place };
    if (stopping) throw fault('unavailable', 'The server is restarting.');
    const channel = await feed.join(env);
    let joined = false;
    try {
      if (typeof place === 'object' && place !== null) await channel.reach(place.position);
      sockets.handleUpgrade(request, socket, head, (ws) => {
        joined = true;
        hub.join({ channel, ws, socket: socket as Socket, who, narrowing }, start);
      });
    } finally {
      if (!joined) feed.leave(channel);
    }
  };

  return {
    attach: (server, others = {}) => {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        if ((request.headers.upgrade ?? '').toLowerCase() !== 'websocket') {
          httpAgain(server, request, socket, head);
          return;
        }
        socket.on('error', ignore);
        const last = path.exec((request.url ?? '').split('?', 1)[0] ?? '')?.[2];
        const other = last !== undefined && Object.hasOwn(others, last) ? others[last] : undefined;
        if (other !== undefined) {
          other(request, socket, head);
          return;
        }
        const requestId = requestIdOf(request);
        const headers = { 'x-request-id': requestId };
        headersOf.set(request, headers);
        open(request, socket, head, headers).catch((error: unknown) => {
          refuse(socket, faultOf(error, log, requestId), headers);
        });
      });
    },
    stop: () => {
      stopping = true;
    },
  };
};
