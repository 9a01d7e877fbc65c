/**
 * Who calls: the environment of the path, the endpoints that need no token, whose token or cookie the request has, how often, and what
 * they may enter. Steps of api/app.ts, in this order.
 */
import type { IncomingMessage } from 'node:http';
import type { Middleware, ParameterizedContext } from 'koa';
import { parseTokenKind } from '../../shared/accounts/access/tokens.ts';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import { fault, Fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import type { Config } from '../../shared/platform/config/config.ts';
import type { Endpoint, PublicCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { readBrowserCookie, readCookieToken, requireOwnPage } from '../http/cookies.ts';
import { authenticateRequest, learnEnvironment, requireOpen, resolveCaller } from '../http/credentials.ts';
import { protectedResourceUrl } from '../http/protectedResource.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import { readRequestBody } from '../http/requestBody.ts';
import { clientAddress } from '../http/requestHeaders.ts';
import { mountEndpoint } from './route.ts';
import type { CallerState, EnvironmentState, SessionState, MountedEndpoint } from './state.ts';

/** Returns the header; null for none, or for several, of which none counts. */
const traceparentOf = ({ headers }: IncomingMessage): string | null => {
  const given = headers['traceparent'];
  return typeof given === 'string' ? given : null;
};

const environmentPattern = /^\/api\/env\/([^/]+)(\/.*)$/;

/**
 * Reads the environment and the path below it from the URL. Throws `404 not_found` for every other path; below `/api/env`
 * first `401 unauthorized`, as everywhere there.
 */
export const environmentPath = (deps: Deps): Middleware<EnvironmentState> => {
  const refuse = async ({ req, state }: Parameters<Middleware<EnvironmentState>>[0]): Promise<never> => {
    if (state.path.startsWith('/api/env')) await authenticateRequest(deps, req);
    throw fault('not_found');
  };
  return (ctx, next) => {
    const { state } = ctx;
    const match = environmentPattern.exec(state.path);
    if (match === null) return refuse(ctx);
    const [, environment = '', below = '/'] = match;
    state.environment = environment;
    state.below = below;
    state.address = clientAddress(ctx.req, deps.config.trustProxy);
    return next();
  };
};

const ofrepPath = '/ofrep/v1/';

/** For how long, in seconds, a browser need not ask again what a page may send. */
const preflightSeconds = 7_200;

const preflightHeaders = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'authorization, content-type, if-none-match, idempotency-key, traceparent, x-request-id',
  'access-control-max-age': String(preflightSeconds),
};

/** What a page may read of an answer beside its body. */
const exposed = 'etag, retry-after, ratelimit, ratelimit-policy, x-request-id';

/**
 * Names the origin of a page of OFREP_ORIGINS in the answers to it, refusals too, and answers its preflights. Cookies are not
 * allowed: the page needs a token.
 */
export const ofrepOrigins = ({ ofrepOrigins: origins }: Config, limiter: RateLimiter): Middleware<EnvironmentState> => {
  const known = new Set(origins);
  const preflight = async (state: EnvironmentState): Promise<void> => {
    state.pattern = `${ofrepPath}*`;
    await limiter.countAddress(state.address, state.headers);
    state.response = { status: 204, body: undefined, headers: preflightHeaders };
    state.route = state.pattern;
  };
  return (ctx, next) => {
    const { req, state } = ctx;
    const { origin } = req.headers;
    if (known.size === 0 || !state.below.startsWith(ofrepPath)) return next();
    state.headers['vary'] = 'origin';
    if (origin === undefined || !known.has(origin)) return next();
    state.headers['access-control-allow-origin'] = origin;
    state.headers['access-control-expose-headers'] = exposed;
    const isPreflight = ctx.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined;
    return isPreflight ? preflight(state) : next();
  };
};

type PublicContext = ParameterizedContext<EnvironmentState>;

const refusedHeaders = ['idempotency-key', 'if-match'];

/** Returns the session of the request's cookie; null without one, or when it has ended. */
const cookieSession = async (deps: Deps, req: PublicContext['req']): Promise<AuthSession | null> => {
  const token = readCookieToken(req);
  return token === null || parseTokenKind(token) !== 'person' ? null : deps.directory.sessionByToken(token);
};

const servePublic = async (
  deps: Deps,
  { endpoint, parseQuery }: MountedEndpoint,
  handle: (call: PublicCall) => Promise<ApiResponse>,
  ctx: PublicContext,
): Promise<ApiResponse> => {
  const method = endpoint.method.toUpperCase();
  if (ctx.method !== method) throw fault('method_not_allowed', undefined, { headers: { allow: method } });
  const { search, environment, requestId, address } = ctx.state;
  requireOpen(deps.directory.environment(environment));
  const query = parseQuery(search);
  for (const name of refusedHeaders) {
    if (ctx.req.headers[name] !== undefined)
      throw fault('invalid', `${name} is not taken here.`, { details: [{ path: name, message: 'is not taken here' }] });
  }
  // A page of another site must not sign a browser in as a person of its choice.
  if (ctx.req.headers.origin !== undefined) requireOwnPage(ctx.req, deps.config);
  const body = endpoint.write
    ? endpoint.checkBody((await readRequestBody(ctx, endpoint.bodyOptional)).value, deps.clock.now())
    : undefined;
  const browser = readBrowserCookie(ctx.req);
  const session = () => cookieSession(deps, ctx.req);
  return handle({ deps, query, body, environment, requestId, address, browser, session });
};

/** Serves the requests of rows with `handlePublic`, which count by the client's address; passes on all others. */
export const publicEndpoints = (
  deps: Deps,
  limiter: RateLimiter,
  endpoints: readonly Endpoint[],
): Middleware<EnvironmentState> => {
  const byPath = new Map(
    endpoints.flatMap((endpoint) => {
      const { handlePublic } = endpoint;
      if (handlePublic === null) return [];
      const mounted = mountEndpoint(endpoint);
      return [[endpoint.path, (ctx: PublicContext) => servePublic(deps, mounted, handlePublic, ctx)] as const];
    }),
  );
  const answer = async (ctx: PublicContext, serve: (ctx: PublicContext) => Promise<ApiResponse>): Promise<void> => {
    const { state } = ctx;
    state.pattern = state.below;
    await limiter.countAddress(state.address, state.headers);
    state.response = await serve(ctx);
    state.route = state.below;
  };
  return (ctx, next) => {
    const serve = byPath.get(ctx.state.below);
    return serve === undefined ? next() : answer(ctx, serve);
  };
};

/** Names the document that says how a client of the Model Context Protocol gets a token (RFC 9728, section 5.1). */
const withMetadata = (error: unknown, { config }: Deps, environment: string): unknown =>
  error instanceof Fault && error.code === 'unauthorized'
    ? fault('unauthorized', error.message, {
        ...error.extra,
        headers: { 'www-authenticate': `Bearer resource_metadata="${protectedResourceUrl(config, environment)}"` },
      })
    : error;

/** Finds the session. Throws `401 unauthorized` without one; such a request counts by the client's address. */
export const authentication =
  (deps: Deps, limiter: RateLimiter): Middleware<SessionState> =>
  async ({ req, state }, next) => {
    try {
      state.session = await authenticateRequest(deps, req);
    } catch (error) {
      await limiter.countAddress(state.address, state.headers);
      throw state.below === '/mcp' ? withMetadata(error, deps, state.environment) : error;
    }
    const learning = learnEnvironment(deps, state.environment);
    if (learning !== undefined) await learning;
    await next();
  };

/** Counts the request by its token, most often without waiting for Redis. Throws `429 rate_limited`. */
export const rateLimit =
  (limiter: RateLimiter): Middleware<SessionState> =>
  ({ state }, next) => {
    const counted = limiter.countToken(state.session.credential, state.headers);
    return counted === undefined ? next() : counted.then(next);
  };

/** Finds the environment that the path names. Throws `404 not_found` for one that is unknown or not the principal's. */
export const environmentAccess =
  (deps: Deps): Middleware<CallerState> =>
  ({ req, state }, next) => {
    const caller = resolveCaller(deps, state.session, state.environment, state.requestId, state.address);
    // The header counts from here on: a client without a token joins no trace, and has none recorded by asking for it.
    const span = state.beginSpan?.(traceparentOf(req)) ?? null;
    state.caller = span === null ? caller : { ...caller, span };
    return next();
  };
