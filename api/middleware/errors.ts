/** Turns what a later step throws into a response. A step of api/app.ts. */
import type { Middleware } from 'koa';
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import type { Log } from '../../shared/platform/core/log.ts';
import { isDbUnavailable } from '../../shared/platform/db/errors.ts';
import { toFaultResponse } from '../http/response.ts';
import type { RequestState } from './state.ts';

/** Returns the fault that the client gets: what is not a fault is logged with the request id, and is `internal`. */
const toFault = (log: Log, error: unknown, requestId: string): Fault => {
  if (error instanceof Fault) return error;
  if (isDbUnavailable(error)) {
    log.warn({ requestId, err: error }, 'PostgreSQL is unavailable');
    return fault('unavailable');
  }
  log.error({ requestId, err: error }, 'a request failed');
  return fault('internal');
};

/** Responds to every error of the later steps in the form of the catalogue of errors. */
export const errors =
  (log: Log): Middleware<RequestState> =>
  async ({ state }, next) => {
    try {
      await next();
    } catch (error) {
      state.response = toFaultResponse(toFault(log, error, state.requestId));
      state.route = 'error';
    }
  };
