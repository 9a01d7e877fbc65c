/** Limits the requests of a token. A step of api/app.ts. */
import type { Middleware } from 'koa';
import type { RateLimiter } from '../http/rateLimiter.ts';
import type { SessionState } from './state.ts';

/** Counts the request by its token, most often without waiting for Redis. Throws `429 rate_limited`. */
export const rateLimit =
  (limiter: RateLimiter): Middleware<SessionState> =>
  ({ state }, next) => {
    const counted = limiter.countToken(state.session.credential, state.headers);
    return counted === undefined ? next() : counted.then(next);
  };
