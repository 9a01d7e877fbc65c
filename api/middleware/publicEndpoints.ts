/** The endpoints that need no token, such as signing in: they stand before authentication. A step of api/app.ts. */
import type { Middleware, ParameterizedContext } from 'koa';
import { parseTokenKind } from '../../shared/access/tokens.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import type { AuthSession } from '../../shared/settings/sessionCache.ts';
import type { Endpoint, PublicCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { isSameOrigin, readBrowserCookie, readCookieToken } from '../http/cookies.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import { readRequestBody } from '../http/requestBody.ts';
import { mountEndpoint, type MountedEndpoint } from './mountEndpoint.ts';
import type { EnvironmentState } from './state.ts';

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
  const query = parseQuery(search);
  for (const name of refusedHeaders) {
    if (ctx.req.headers[name] !== undefined)
      throw fault('invalid', `${name} is not taken here.`, { details: [{ path: name, message: 'is not taken here' }] });
  }
  // A page of another site must not sign a browser in as a person of its choice.
  if (ctx.req.headers.origin !== undefined && !isSameOrigin(ctx.req, deps.config))
    throw fault('forbidden', 'The request comes from another site.');
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
