/** Checks that the principal has access to the environment. A step of api/app.ts. */
import type { Middleware } from 'koa';
import type { Deps } from '../../shared/deps.ts';
import { resolveCaller } from '../http/credentials.ts';
import { traceparentOf } from '../http/traceparent.ts';
import type { CallerState } from './state.ts';

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
