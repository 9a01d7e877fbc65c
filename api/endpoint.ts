/** The rows that endpoints are, and the functions that make one; the steps of api/app.ts serve them. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../shared/access/principal.ts';
import { fault, type Fault } from '../shared/catalogue/errors.ts';
import type { Deps } from '../shared/deps.ts';
import type { Static, TObject, TSchema } from '../shared/platform/core/schema.ts';
import type { SavedResponse } from '../shared/platform/journal/idempotency.ts';
import type { AuthSession } from '../shared/settings/sessionCache.ts';
import type { ApiResponse } from './http/apiResponse.ts';
import type { RequestBody } from './http/requestBody.ts';
import type { Live } from './live/index.ts';

/** The request that an endpoint is called by: one of HTTP, or the call of a tool (api/mcp). */
export interface RequestSource extends Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'> {
  readonly method: string;
  /** With the query string; part of the fingerprint of a request with an idempotency key. */
  readonly url: string;
  /** Returns the body; an absent one is `{}` where `optional`. Throws 400, 413 or 415. */
  body(optional: boolean): Promise<RequestBody>;
}

/** The argument of a handler: query and body are checked against the schemas of the endpoint. */
export interface EndpointCall<Q = unknown, B = unknown> {
  readonly deps: Deps;
  readonly live: Live;
  readonly from: RequestSource;
  readonly caller: Caller;
  readonly session: AuthSession;
  /** Calls of this process that run under an idempotency key; another one with the same key waits for their end. */
  readonly running: Map<string, Promise<unknown>>;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Q;
  readonly body: B;
  /** The version of `if-match`; undefined when absent or `*`. */
  readonly ifMatch: number | undefined;
  /** The arguments of a tool that its endpoint does not have over HTTP; null: the call is one of HTTP. */
  readonly ofTool: Readonly<Record<string, unknown>> | null;
  /** Returns a signal that is aborted when the client disconnects or the server stops. */
  readonly signal: () => AbortSignal;
  /** Returns the row that saves this response under the call's idempotency key; null without a key. */
  save(status: number, body: string, etag?: string): SavedResponse | null;
}

/** The argument of the handler of a public endpoint: there is no caller. */
export interface PublicCall<B = unknown> {
  readonly deps: Deps;
  /** The environment as the path names it; it need not exist. */
  readonly environment: string;
  readonly body: B;
  readonly requestId: string;
  readonly address: string | null;
  /** The token by which the client's browser is known; null: none. */
  readonly browser: string | null;
}

export interface Endpoint {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly tag: string;
  /** Whether it changes something: refusals are audited, idempotency keys are accepted. */
  readonly write: boolean;
  /** Whether app keys may call it. */
  readonly allowsApp: boolean;
  /** Whether an idempotency key is accepted; else it is refused. */
  readonly acceptsIdempotencyKey: boolean;
  /** Throws `409 in_progress` while the first call with this idempotency key still waits for the customer's app. */
  readonly requireNotInProgress: ((call: Pick<EndpointCall, 'deps' | 'caller'>, key: string) => Promise<void>) | null;
  /** Whether `if-match` is accepted. */
  readonly conditional: boolean;
  readonly query: TObject | null;
  readonly body: TSchema | null;
  /** Whether an absent body counts as `{}`. */
  readonly bodyOptional: boolean;
  readonly responses: Readonly<Record<number, TSchema | null>>;
  readonly example: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
  };
  /** The verb and the target of the change in the audit log. */
  readonly audit: {
    readonly verb: string;
    target(call: Pick<EndpointCall, 'params' | 'body'>): { type: string; id: string | null };
  } | null;
  /** Returns a fault in the form of another protocol of the endpoint. */
  readonly mapFault?: ((failure: Fault, params: EndpointCall['params']) => Fault) | undefined;
  checkBody(body: unknown, at: number): unknown;
  handle(call: EndpointCall): Promise<ApiResponse>;
  /** Handles calls without a token in place of `handle`; null for endpoints that need one. */
  readonly handlePublic: ((call: PublicCall) => Promise<ApiResponse>) | null;
}

interface EndpointRow {
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly tag: string;
  readonly responses: Readonly<Record<number, TSchema | null>>;
  readonly example: Endpoint['example'];
}

const identity = (value: unknown): unknown => value;

export const readEndpoint = <Q extends TObject>(
  row: EndpointRow & { readonly query: Q; handle(call: EndpointCall<Static<Q>>): Promise<ApiResponse> },
): Endpoint => ({
  ...row,
  method: 'get',
  write: false,
  allowsApp: false,
  acceptsIdempotencyKey: true,
  requireNotInProgress: null,
  conditional: false,
  body: null,
  bodyOptional: true,
  audit: null,
  checkBody: identity,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the query was checked by the schema of the row
  handle: (call) => row.handle(call as EndpointCall<Static<Q>>),
  handlePublic: null,
});

interface WriteEndpointRow<I> extends EndpointRow {
  readonly method?: Endpoint['method'];
  readonly body: TSchema;
  readonly bodyOptional?: boolean;
  readonly allowsApp?: boolean;
  readonly acceptsIdempotencyKey?: boolean;
  readonly requireNotInProgress?: Endpoint['requireNotInProgress'];
  readonly conditional?: boolean;
  readonly audit: NonNullable<Endpoint['audit']> | null;
  readonly mapFault?: NonNullable<Endpoint['mapFault']>;
  check(body: unknown, at: number): I;
  handle(call: EndpointCall<unknown, I>): Promise<ApiResponse>;
}

export const writeEndpoint = <I>(row: WriteEndpointRow<I>): Endpoint => ({
  method: 'post',
  bodyOptional: false,
  allowsApp: false,
  acceptsIdempotencyKey: true,
  requireNotInProgress: null,
  conditional: false,
  ...row,
  write: true,
  query: null,
  checkBody: (body, at) => row.check(body, at),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `check` of the row returned the body
  handle: (call) => row.handle(call as EndpointCall<unknown, I>),
  handlePublic: null,
});

/** A change that needs no token. Its handler writes the audit entry, because it alone finds out who called. */
export const publicEndpoint = <I>(
  row: Omit<WriteEndpointRow<I>, 'handle'> & { handle(call: PublicCall<I>): Promise<ApiResponse> },
): Endpoint => ({
  ...writeEndpoint({ ...row, acceptsIdempotencyKey: false, handle: () => Promise.reject(fault('unauthorized')) }),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `check` of the row returned the body
  handlePublic: (call) => row.handle(call as PublicCall<I>),
});
