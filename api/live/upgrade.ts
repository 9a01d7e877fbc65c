/** `GET /api/env/:environment/live`: refuses as HTTP, before the upgrade, all that can be refused. Used by index.ts. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { includesEnvironment } from '../../shared/access/principal.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Environment } from '../../shared/environments/definition.ts';
import { strictObject, Type } from '../../shared/platform/core/schema.ts';
import { securityHeaders } from '../../shared/platform/core/securityHeaders.ts';
import { requireSeesAgent } from '../../shared/settings/agentActivity.ts';
import type { AuthSession } from '../../shared/settings/sessionCache.ts';
import { logRefusedSocket, logSocket } from '../http/accessLog.ts';
import { clientAddress } from '../http/clientAddress.ts';
import { createQueryParser } from '../http/queryParser.ts';
import type { RateLimiter, ResponseHeaders } from '../http/rateLimiter.ts';
import type { LiveContext } from './context.ts';
import { authenticateUpgrade, liveSubprotocol } from './credential.ts';
import type { ChannelFeed } from './feed.ts';
import type { LiveHub } from './hub.ts';
import { readUpgradeRequestId, refuseUpgrade, toUpgradeFault } from './refuseUpgrade.ts';
import { narrowingQuery, parseNarrowing, type NarrowingQuery } from './requests.ts';
import { returnToHttp } from './returnToHttp.ts';
import { readStart } from './start.ts';

/** Takes an upgrade of its own path below `/api/env/:environment/`. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

const readQuery = createQueryParser(
  strictObject({
    after: Type.Optional(Type.String({ description: 'The offset of the last message that the client has.' })),
    ticket: Type.Optional(Type.String({ description: 'A ticket of POST /live/tickets.' })),
    ...narrowingQuery,
  }),
);
interface Query extends NarrowingQuery {
  readonly after?: string;
}

const path = /^\/api\/env\/([^/]+)\/([^/]+)$/;
const decodeSegment = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

/** An error closes the socket, and `close` is handled. */
const ignoreError = (): void => undefined;

interface UpgradeTargets {
  readonly feed: ChannelFeed;
  readonly hub: LiveHub;
  readonly rate: RateLimiter;
}

export interface LiveUpgrade {
  /** Handles the server's upgrades: `live` here, other paths by `others`, named by their last segment. */
  readonly attach: (server: Server, others?: Readonly<Record<string, UpgradeHandler>>) => void;
  /** Refuses every upgrade from now on. */
  readonly stop: () => void;
}

export const createLiveUpgrade = (context: LiveContext, { feed, hub, rate }: UpgradeTargets): LiveUpgrade => {
  const { deps, reads } = context;
  const { directory, log, db, config } = deps;
  const common = securityHeaders(config);
  let stopping = false;
  const about = (request: IncomingMessage, headers: ResponseHeaders) => ({
    requestId: headers['x-request-id'] ?? '',
    route: '/live',
    address: clientAddress(request, config.trustProxy),
  });
  const headersOf = new WeakMap<IncomingMessage, ResponseHeaders>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.liveFrameBytes,
    maxFragments: 64,
    maxBufferedChunks: 2 * limits.liveFrameBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(liveSubprotocol) ? liveSubprotocol : false),
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

  /** Publishes to the streams that watch an agent that it has opened a stream of its own. */
  const tellOfStream = (env: Environment, { principal }: AuthSession, { types, inboxes }: Query): void => {
    if (principal.type !== 'agent' || !reads.isWatched(env.id, principal.id)) return;
    const asked = { ...(types === undefined ? {} : { types }), ...(inboxes === undefined ? {} : { inboxes }) };
    reads.tell(
      { env, principal, requestId: null, address: null },
      { verb: 'live.open', via: 'http', query: asked, targets: [], items: [], outcome: 'ok', code: null },
    );
  };

  const open = async (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    headers: ResponseHeaders,
  ): Promise<void> => {
    const [address = '', search = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
    const [, name = '', last = ''] = path.exec(address) ?? [];
    if (!address.startsWith('/api/env/')) throw fault('not_found');
    const env = directory.environment(decodeSegment(name));
    const who = await rate.count(
      authenticateUpgrade(deps, request, last === 'live' ? env : undefined, search),
      clientAddress(request, config.trustProxy),
      headers,
    );
    if (last !== 'live' || env === undefined || !includesEnvironment(who.principal.environments, env.name))
      throw fault('not_found');
    if (request.method !== 'GET') throw fault('method_not_allowed', undefined, { headers: { allow: 'GET' } });
    if (who.principal.type === 'app') throw fault('forbidden');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `readQuery` has checked it by the schema above
    const query = readQuery(search) as Query;
    const narrowing = parseNarrowing(query);
    if (narrowing.agent !== null) await requireSeesAgent(db, { env, principal: who.principal }, narrowing.agent);
    if (stopping) throw fault('unavailable', 'The server is restarting.');
    const channel = await feed.join(env);
    let joined = false;
    try {
      const start = await readStart(deps, channel, query.after);
      // In the same turn: a restart of the stream would pass by a session that the channel does not have yet.
      sockets.handleUpgrade(request, socket, head, (ws) => {
        joined = true;
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the HTTP server has only sockets of `net`
        hub.join({ channel, ws, socket: socket as Socket, who, narrowing }, start);
        logSocket(deps, ws, { ...about(request, headers), environment: env.name, principal: who.principal.id });
        tellOfStream(env, who, query);
      });
    } finally {
      if (!joined) feed.leave(channel);
    }
  };

  return {
    attach: (server, others = {}) => {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        if ((request.headers.upgrade ?? '').toLowerCase() !== 'websocket') {
          returnToHttp(server, request, socket, head);
          return;
        }
        socket.on('error', ignoreError);
        const last = path.exec((request.url ?? '').split('?', 1)[0] ?? '')?.[2];
        const other = last !== undefined && Object.hasOwn(others, last) ? others[last] : undefined;
        if (other !== undefined) {
          other(request, socket, head);
          return;
        }
        const requestId = readUpgradeRequestId(request);
        const headers = { ...common, 'x-request-id': requestId };
        headersOf.set(request, headers);
        open(request, socket, head, headers).catch((error: unknown) => {
          const failure = toUpgradeFault(error, log, requestId);
          logRefusedSocket(deps, failure, {
            ...about(request, headers),
            route: last === 'live' ? '/live' : null,
          });
          refuseUpgrade(socket, failure, headers);
        });
      });
    },
    stop: () => {
      stopping = true;
    },
  };
};
