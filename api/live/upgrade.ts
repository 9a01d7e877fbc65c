/** `GET /api/env/:environment/live`: refuses as HTTP, before the upgrade, all that can be refused. Used by index.ts. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { includesEnvironment } from '../../shared/accounts/access/principal.ts';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import { requireSeesAgent } from '../../shared/accounts/settings/agents.ts';
import type { Environment } from '../../shared/app/manifest/definition.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Deps } from '../../shared/deps.ts';
import { securityHeaders } from '../../shared/platform/http.ts';
import { strictObject, Type } from '../../shared/platform/json/schema.ts';
import { readUpgradeRequestId, refuseUpgrade, toUpgradeFault, logRefusedSocket, logSocket } from '../http/accessLog.ts';
import { requireOwnPage } from '../http/cookies.ts';
import { authenticateCookie, bearerToken, learnEnvironment, requireOpen } from '../http/credentials.ts';
import { createQueryParser } from '../http/queryParser.ts';
import type { RateLimiter, ResponseHeaders } from '../http/rateLimiter.ts';
import { clientAddress } from '../http/requestHeaders.ts';
import type { EnvironmentChannel } from './channel.ts';
import type { LiveContext } from './context.ts';
import type { ChannelFeed } from './feed.ts';
import type { LiveHub } from './hub.ts';
import { parseAfterOffset } from './offsets.ts';
import { narrowingQuery, parseNarrowing, type NarrowingQuery } from './requests.ts';
import type { StreamStart } from './session.ts';
import { redeemTicket } from './tickets.ts';

/**
 * Returns where a session starts that joins the channel in this turn: after `after`, once the channel is as far, or with a reset.
 * Parses the offset again when the channel's epoch or restart mark has changed meanwhile. Throws `400 bad_cursor`.
 */
const readStart = async (
  { db, directory }: Deps,
  channel: EnvironmentChannel,
  after: string | undefined,
): Promise<StreamStart> => {
  if (after === undefined) return { reset: null };
  for (;;) {
    const { env, restarted } = channel;
    const place = await parseAfterOffset(db, env, directory.environments(), after);
    if (typeof place === 'string') return { reset: place };
    await channel.readUpTo(place.position);
    if (channel.env.epoch !== env.epoch || channel.restarted !== restarted) continue;
    // Ahead of what PostgreSQL has: the offset is of messages that a failover has lost.
    return place.position > channel.newestPosition ? { reset: 'epoch' } : { after, place };
  }
};

/**
 * Gives a request back to HTTP. A server that listens for upgrades gets every request with an `upgrade` header, also those of
 * clients that only offer another protocol: Java's own client sends `upgrade: h2c` with each first request, and expects it to be
 * ignored (RFC 9110 section 7.8).
 */
const droppedHeaders = new Set(['upgrade', 'http2-settings', 'connection']);

/** Takes the offer out of the request and lets the server read it from its socket once more. */
const returnToHttp = (server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void => {
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/${request.httpVersion}`];
  for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
    const name = request.rawHeaders[i] ?? '';
    if (!droppedHeaders.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[i + 1] ?? ''}`);
  }
  const options = (request.headers.connection ?? '').split(',').map((option) => option.trim());
  const kept = options.filter((option) => option !== '' && !droppedHeaders.has(option.toLowerCase()));
  if (kept.length > 0) lines.push(`connection: ${kept.join(', ')}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
};

/**
 * Whose request an upgrade is: a bearer token in the header or (browsers) among the subprotocols, a ticket, or a person's cookie.
 */
const liveSubprotocol = 'console.v1';
const bearerProtocol = 'bearer.';

const requestTokens = (request: IncomingMessage): (string | null)[] => {
  const { authorization } = request.headers;
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return [
    ...(authorization === undefined ? [] : [bearerToken(request)]),
    ...offered.filter((name) => name.startsWith(bearerProtocol)).map((name) => name.slice(bearerProtocol.length)),
  ];
};

const requestTickets = (search: string): string[] =>
  search
    .split('&')
    .filter((pair) => pair.startsWith('ticket='))
    .map((pair) => pair.slice('ticket='.length));

/**
 * Returns the session of the one credential of the request; a cookie counts when there is nothing else. Throws 401;
 * 403 for a cookie that a page of another site sent. `env` undefined: there is no such environment, so no ticket is valid.
 */
const authenticateUpgrade = async (
  deps: Deps,
  request: IncomingMessage,
  env: Environment | undefined,
  search: string,
): Promise<AuthSession> => {
  const tokens = requestTokens(request);
  const tickets = requestTickets(search);
  const [token = null] = tokens;
  const [ticket] = tickets;
  if (tokens.length + tickets.length === 0 && request.headers.cookie !== undefined) {
    if (request.headers.origin !== undefined) requireOwnPage(request, deps.config);
    return authenticateCookie(deps, request, true);
  }
  if (tokens.length + tickets.length !== 1) throw fault('unauthorized');
  const byTicket = ticket === undefined || env === undefined ? null : redeemTicket(deps, env, ticket);
  const session = await (token === null ? byTicket : deps.directory.sessionByToken(token));
  if (session === null) throw fault('unauthorized');
  return session;
};

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
    const environment = decodeSegment(name);
    const who = await rate.count(
      authenticateUpgrade(deps, request, last === 'live' ? directory.environment(environment) : undefined, search),
      clientAddress(request, config.trustProxy),
      headers,
    );
    await learnEnvironment(deps, environment);
    const env = directory.environment(environment);
    if (last !== 'live' || env === undefined || !includesEnvironment(who.principal.environments, env.name))
      throw fault('not_found');
    requireOpen(env);
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
