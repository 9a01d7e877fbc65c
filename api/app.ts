/** The HTTP side: which requests there are, in which order a request is looked at, and how every failure is answered. */
import type { ServerResponse } from 'node:http';
import Koa, { type Context } from 'koa';
import { Fault, fault } from '../shared/catalogue/errors.ts';
import { newId } from '../shared/platform/core/ids.ts';
import { isDbUnavailable } from '../shared/platform/db/errors.ts';
import type { Deps } from '../shared/deps.ts';
import type { RequestSource } from './endpoint.ts';
import type { ApiResponse } from './answer.ts';
import { createHost } from './host.ts';
import type { Live } from './live/index.ts';
import { createHttpMetrics, type HttpMetrics } from './metrics.ts';
import { clientAddress, authenticateRequest, resolveCaller } from './middleware/authenticate.ts';
import type { RateLimit } from './middleware/rateLimit.ts';
import { readRequestBody } from './middleware/body.ts';
import { sessionCookieHeader } from './middleware/cookies.ts';
import { toFaultResponse, sendResponse } from './middleware/respond.ts';
import { mountEndpoints } from './mountEndpoints.ts';
import { endpoints } from './endpoints.ts';
import { createPublicServer } from './publicServer.ts';

interface Api {
  readonly koa: Koa;
  /** Requests under way; resolves when there are none. */
  idle(): Promise<void>;
}

interface RoutedResponse {
  readonly answer: ApiResponse;
  readonly route: string;
}

const requestIdForm = /^[\x21-\x7e][\x20-\x7e]{0,127}$/;
const envPath = /^\/api\/env\/([^/]+)(\/.*)$/;

const readRequestId = (ctx: Context): string => {
  const given = ctx.req.headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : newId('req');
};

const requestSource = (ctx: Context): RequestSource => ({
  method: ctx.method,
  url: ctx.req.url ?? '',
  headers: ctx.req.headers,
  rawHeaders: ctx.req.rawHeaders,
  body: (optional) => readRequestBody(ctx, optional),
});

/** What the client is told of a failure; what is a bug is logged with the request id and told as `internal`. */
const toFault = (deps: Deps, error: unknown, requestId: string): Fault => {
  if (error instanceof Fault) return error;
  if (isDbUnavailable(error)) {
    deps.log.warn({ requestId, err: error }, 'PostgreSQL is away');
    return fault('unavailable');
  }
  deps.log.error({ requestId, err: error }, 'a request failed');
  return fault('internal');
};

const toFailureResponse = (deps: Deps, error: unknown, requestId: string): ApiResponse => {
  const failure = toFault(deps, error, requestId);
  return toFaultResponse(failure);
};

export const createApi = (deps: Deps, live: Live, rate: RateLimit): Api => {
  const koa = new Koa();
  const serve = mountEndpoints(endpoints);
  const openTo = createPublicServer(deps, endpoints);
  const metrics: HttpMetrics = createHttpMetrics();
  const host = createHost(deps, metrics);
  const stopping = new AbortController();
  const running = new Map<string, Promise<unknown>>();
  let underWay = 0;
  let whenIdle: (() => void)[] = [];

  const goneOrStopping = (res: ServerResponse): AbortSignal => {
    const call = new AbortController();
    const abort = (): void => {
      call.abort();
    };
    if (stopping.signal.aborted || res.destroyed) abort();
    stopping.signal.addEventListener('abort', abort);
    res.once('close', () => {
      stopping.signal.removeEventListener('abort', abort);
      abort();
    });
    return call.signal;
  };

  const dispatch = async (
    ctx: Context,
    requestId: string,
    headers: Record<string, string>,
  ): Promise<RoutedResponse> => {
    const url = ctx.req.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const search = mark === -1 ? '' : url.slice(mark + 1);
    const own = host(ctx, path);
    if (own !== null) return { answer: await own, route: path };
    const match = envPath.exec(path);
    if (match === null) {
      if (!path.startsWith('/api/env')) throw fault('not_found');
      await authenticateRequest(deps, ctx.req);
      throw fault('not_found');
    }
    const address = clientAddress(ctx.req, deps.config.trustProxy);
    const [, environment = '', below = '/'] = match;
    const open = openTo(below);
    if (open !== undefined) {
      await rate.countAddress(address, headers);
      return { answer: await open({ ctx, search, environment, requestId, address }), route: below };
    }
    const session = await rate.count(authenticateRequest(deps, ctx.req), address, headers);
    const caller = resolveCaller(deps, session, environment, requestId, address);
    const positionBefore = await live.position(caller.env);
    const tellPosition = (): void => {
      headers['x-live-offset'] = caller.env.seal.offset({
        epoch: caller.env.epoch,
        position: positionBefore,
        part: 255,
      });
    };
    try {
      const { answer, route } = await serve(below, {
        deps,
        live,
        from: requestSource(ctx),
        caller,
        session,
        search,
        running,
        signal: () => goneOrStopping(ctx.res),
      });
      if (answer.items === true) tellPosition();
      return { answer, route };
    } catch (error) {
      // It shows the item or the flag as it is.
      if (error instanceof Fault && error.code === 'version_conflict') tellPosition();
      throw error;
    }
  };

  koa.use(async (ctx) => {
    const started = performance.now();
    const requestId = readRequestId(ctx);
    const headers: Record<string, string> = { 'x-request-id': requestId };
    underWay += 1;
    let sent: RoutedResponse;
    try {
      sent = await dispatch(ctx, requestId, headers);
    } catch (error) {
      sent = { answer: toFailureResponse(deps, error, requestId), route: 'error' };
    }
    try {
      if (stopping.signal.aborted) headers['connection'] = 'close';
      if (sent.answer.cookie !== undefined)
        headers['set-cookie'] = sessionCookieHeader(ctx.req, deps.config, sent.answer.cookie);
      await sendResponse(ctx, sent.answer, headers);
    } finally {
      underWay -= 1;
      if (underWay === 0) for (const resolve of whenIdle.splice(0)) resolve();
      metrics.observe(ctx.method, sent.route, sent.answer.status, performance.now() - started);
    }
  });
  koa.on('error', (error: unknown) => {
    deps.log.debug({ err: error }, 'a connection failed');
  });

  return {
    koa,
    idle: () => {
      stopping.abort();
      return underWay === 0 ? Promise.resolve() : new Promise((resolve) => (whenIdle = [...whenIdle, resolve]));
    },
  };
};
