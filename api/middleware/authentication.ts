/** Whose token or session cookie the request has. A step of api/app.ts. */
import type { Middleware } from 'koa';
import type { Deps } from '../../shared/deps.ts';
import { authenticateRequest } from '../http/credentials.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import type { SessionState } from './state.ts';

/** Finds the session. Throws `401 unauthorized` without one; such a request counts by the client's address. */
export const authentication =
  (deps: Deps, limiter: RateLimiter): Middleware<SessionState> =>
  async ({ req, state }, next) => {
    try {
      state.session = await authenticateRequest(deps, req);
    } catch (error) {
      await limiter.countAddress(state.address, state.headers);
      throw error;
    }
    await next();
  };
