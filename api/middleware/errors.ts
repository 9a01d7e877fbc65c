/** Turns what a later step throws into a response. A step of api/app.ts. */
import type { Middleware } from 'koa';
import { Fault, fault } from '../../shared/catalogue/errors.ts';
import type { Log } from '../../shared/platform/core/log.ts';
import { isDbUnavailable } from '../../shared/platform/db/errors.ts';
import { toFaultResponse } from '../http/response.ts';
import type { RequestState } from './state.ts';

type ToFault = (error: unknown, requestId: string) => Fault;

/** Returns the function that makes the fault that the client gets: what is not a fault is logged with the request id, and is `internal`. */
const createToFault = (log: Log): ToFault => {
  return (error, requestId) => {
    if (error instanceof Fault) return error;
    if (isDbUnavailable(error)) {
      log.warn({ requestId, err: error }, 'PostgreSQL is unavailable');
      return fault('unavailable');
    }
    log.error({ requestId, err: error }, 'a request failed');
    return fault('internal');
  };
};

/** Responds to every error of the later steps in the form of the catalogue of errors. */
export const errors = (log: Log): Middleware<RequestState> => {
  const toFault = createToFault(log);
  return async ({ state }, next) => {
    try {
      await next();
    } catch (error) {
      state.response = toFaultResponse(toFault(error, state.requestId));
      state.route = 'error';
    }
  };
};
