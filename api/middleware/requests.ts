/** The requests under way: counted for the drain of server.ts, measured for Prometheus with those that the service failed, and noted in the access log and in spans. The first steps of api/app.ts. */
import type { ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import { Counter, Histogram, Registry } from 'prom-client';
import { type ErrorCode, errors } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { beginAtZero } from '../../shared/platform/log/metrics.ts';
import type { Span } from '../../shared/platform/tracing/span.ts';
import { accessLine, failureMembers } from '../http/accessLog.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { clientAddress } from '../http/requestHeaders.ts';
import type { CallerState, EndpointState, RequestState } from './state.ts';

type SentResponse = Pick<ApiResponse, 'status' | 'body'>;

interface HttpMetrics {
  observe(method: string, route: string, response: SentResponse, ms: number): void;
  readonly registry: Registry;
}

/** Codes of 5xx that say something of the customer's app: whoever runs the service can't mend it. */
const appCodes: ReadonlySet<string> = new Set<ErrorCode>(['app_error', 'app_offline', 'app_timeout']);
/** All other codes of 5xx. They are of a closed table, so that each may be a label. */
const ownCodes = Object.entries(errors).flatMap(([code, { status }]) =>
  status >= 500 && !appCodes.has(code) ? [code] : [],
);

/** Returns the code of a failure of the service itself; undefined for every other response, and for `503` of `/ready`, which has no code. */
const failureCode = ({ status, body }: SentResponse): string | undefined =>
  status >= 500 && typeof body === 'object' && 'code' in body ? ownCodes.find((code) => code === body.code) : undefined;

export const createHttpMetrics = (): HttpMetrics => {
  const registry = new Registry();
  const requests = new Counter({
    name: 'console_http_requests_total',
    help: 'Requests answered, by `method`, `route` and `status`.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'console_http_failures_total',
    help: 'Requests that the service itself failed, by `code`: internal (a bug), unavailable (PostgreSQL, or a pool that is full). Not those that an app failed, and no probes.',
    labelNames: ['code'],
    registers: [registry],
  });
  beginAtZero(
    failures,
    ownCodes.map((code) => ({ code })),
  );
  const seconds = new Histogram({
    name: 'console_http_request_seconds',
    help: 'Time from a request to its answer, by `method` and `route`; `/changes`, reads with `wait` and calls of an app wait.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [registry],
  });
  const known = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
  return {
    observe: (method, route, response, ms) => {
      const verb = known.has(method) ? method : 'other';
      requests.inc({ method: verb, route, status: response.status });
      const code = failureCode(response);
      if (code !== undefined) failures.inc({ code });
      seconds.observe({ method: verb, route }, ms / 1000);
    },
    registry,
  };
};

export interface RequestTracker {
  /** Returns whether the server drains: from then on responses close their connections. */
  readonly isStopping: () => boolean;
  readonly middleware: Middleware<RequestState>;
  /** Returns a signal that is aborted when the client disconnects or the server drains. */
  signalOf(response: ServerResponse): AbortSignal;
  /** Begins the drain; resolves when no request is under way. */
  idle(): Promise<void>;
}

export const createRequestTracker = (metrics: HttpMetrics): RequestTracker => {
  const stopping = new AbortController();
  let underWay = 0;
  let whenIdle: (() => void)[] = [];

  return {
    isStopping: () => stopping.signal.aborted,
    middleware: async (ctx, next) => {
      const startedAt = performance.now();
      underWay += 1;
      try {
        await next();
      } finally {
        underWay -= 1;
        if (underWay === 0) for (const resolve of whenIdle.splice(0)) resolve();
        const { route, response } = ctx.state;
        metrics.observe(ctx.method, route, response, performance.now() - startedAt);
      }
    },
    signalOf: (response) => {
      const call = new AbortController();
      const abort = (): void => {
        call.abort();
      };
      if (stopping.signal.aborted || response.destroyed) {
        abort();
        return call.signal;
      }
      stopping.signal.addEventListener('abort', abort);
      response.once('close', () => {
        stopping.signal.removeEventListener('abort', abort);
        abort();
      });
      return call.signal;
    },
    idle: () => {
      stopping.abort();
      return underWay === 0 ? Promise.resolve() : new Promise((resolve) => (whenIdle = [...whenIdle, resolve]));
    },
  };
};

/** Members that the later steps may have set until the request ends. */
type EndedState = RequestState &
  Partial<Pick<CallerState, 'session' | 'caller' | 'address'>> &
  Partial<Pick<EndpointState, 'call'>>;

/** Methods that stand in spans and lines as they were sent. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const spanAttributes = ({ pattern, response, caller, session, call }: EndedState, method: string) => ({
  'http.request.method': method,
  'http.response.status_code': response.status,
  ...(pattern === undefined ? {} : { 'http.route': pattern }),
  ...(caller === undefined ? {} : { 'console.environment': caller.env.name }),
  ...(typeof session?.principal.id === 'string' ? { 'enduser.id': session.principal.id } : {}),
  ...(typeof call?.notes.tool === 'string' ? { 'gen_ai.tool.name': call.notes.tool } : {}),
});

/** Ends the span of a request; a failure of the service is an error, a refusal is none. */
const endSpan = (span: Span, state: EndedState, method: string): void => {
  const { pattern, response } = state;
  span.rename(pattern === undefined ? method : `${method} ${pattern}`);
  span.set(spanAttributes(state, method));
  span.end(response.status >= 500 ? String(response.status) : undefined);
};

const bytesOf = ({ headers }: RequestState, method: string): number =>
  method === 'HEAD' ? 0 : Number(headers['content-length'] ?? 0);

export const requestRecord = ({ config, log, tracer }: Deps): Middleware<RequestState> => {
  return async (ctx, next) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the later steps add these members
    const state = ctx.state as EndedState;
    const began = performance.now();
    const method = methods.has(ctx.method) ? ctx.method : '_OTHER';
    let span: Span | null = null;
    let isBegun = false;
    const beginSpan = (traceparent: string | null): Span | null => {
      isBegun = true;
      const start = { kind: 'server', attributes: {}, agoMs: performance.now() - began } as const;
      return (span = tracer?.start(method, traceparent, start) ?? null);
    };
    if (tracer !== null) state.beginSpan = beginSpan;
    try {
      await next();
    } finally {
      // A request that was refused before its caller was known.
      const ended = isBegun ? span : beginSpan(null);
      if (ended !== null) endSpan(ended, state, method);
      if (config.accessLog)
        accessLine(log, 'request', {
          requestId: state.requestId,
          method,
          route: state.pattern ?? null,
          status: state.response.status,
          ...failureMembers(state.response),
          ms: Math.round((performance.now() - began) * 10) / 10,
          bytes: bytesOf(state, method),
          address: state.address ?? clientAddress(ctx.req, config.trustProxy),
          environment: state.caller?.env.name ?? null,
          principal: state.session?.principal.id ?? null,
          ...(typeof state.call?.notes.tool === 'string' ? { tool: state.call.notes.tool } : {}),
          ...(ended === null ? {} : { trace: ended.traceId }),
        });
    }
  };
};
