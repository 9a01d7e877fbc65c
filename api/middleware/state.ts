/** `ctx.state` as the middleware in api/app.ts fills it, from the first step to the last; the tools of api/mcp use its last part. */
import type { Caller } from '../../shared/accounts/access/principal.ts';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import type { IdempotencyKey } from '../../shared/platform/journal/idempotency.ts';
import type { Span } from '../../shared/platform/tracing/span.ts';
import type { Endpoint, EndpointCall, ReadPlace } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import type { createQueryParser } from '../http/queryParser.ts';
import type { ResponseHeaders } from '../http/rateLimiter.ts';
import type { RequestBody } from '../http/requestBody.ts';

/** Set by `requestId` for every request. */
export interface RequestState {
  requestId: string;
  /** Headers of the response, which each step adds to; those of `response` take precedence. */
  headers: ResponseHeaders;
  /** The path of the URL, and its query string without `?`. */
  path: string;
  search: string;
  /** The name of the request in metrics: the path of an endpoint's row, a path of the host, or `error`. */
  route: string;
  /** The same also of a request that fails later; absent: the path is none that is served. */
  pattern?: string;
  /** Begins the span of the request once its caller is known; absent: nothing is traced. */
  beginSpan?: (traceparent: string | null) => Span | null;
  /** The answer, which `respond` sends. */
  response: ApiResponse;
}

/** Set by `environmentPath` for everything below `/api/env/:environment`. */
export interface EnvironmentState extends RequestState {
  /** The segment as it was sent; it need not be the name of an environment. */
  environment: string;
  /** The path below the environment, with its first slash. */
  below: string;
  /** The client's IP address; null when its connection has ended already. */
  address: string | null;
}

/** Set by `authentication`. */
export interface SessionState extends EnvironmentState {
  session: AuthSession;
}

/** Set by `environmentAccess`. */
export interface CallerState extends SessionState {
  caller: Caller;
  /** Set by `streamOffset`. */
  place: ReadPlace;
}

/** The call of an endpoint while the steps fill it. */
export type PendingCall = { -readonly [K in keyof EndpointCall]: EndpointCall[K] };

/** An endpoint's row, compiled once. */
export interface MountedEndpoint {
  readonly endpoint: Endpoint;
  readonly parseQuery: ReturnType<typeof createQueryParser>;
}

/** Set by `routing`, and for a tool's call by api/mcp/serveEndpoint.ts: all that the steps of an endpoint need. */
export interface EndpointState {
  mounted: MountedEndpoint;
  call: PendingCall;
  /** The query string, or the parameters as values where the call is a tool's. */
  search: string | Readonly<Record<string, unknown>>;
  /** The body as it was sent; null before it is read, and of reads. */
  body: RequestBody | null;
  /** The idempotency key of a change; null without one. */
  idempotencyKey: IdempotencyKey | null;
  response: ApiResponse;
}

/** The argument of the steps of an endpoint: Koa's context, or a tool's call in its place. */
export interface EndpointContext {
  readonly state: EndpointState;
}

export type Next = () => Promise<unknown>;
