/** Whose token or session cookie the request has. A step of api/app.ts. */
import type { Middleware } from 'koa';
import { fault, Fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { authenticateRequest } from '../http/credentials.ts';
import { protectedResourceUrl } from '../http/protectedResource.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import type { SessionState } from './state.ts';

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
    await next();
  };
