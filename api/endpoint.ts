/** The rows that endpoints are, and the functions that make one; the steps of api/app.ts serve them. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../shared/accounts/access/principal.ts';
import type { AuthSession } from '../shared/accounts/sessionCache.ts';
import { fault, type Fault } from '../shared/catalogue/errors.ts';
import type { Deps } from '../shared/deps.ts';
import type { SavedResponse } from '../shared/platform/journal/idempotency.ts';
import { strictObject, type Static, type TObject, type TSchema } from '../shared/platform/json/schema.ts';
import type { ApiResponse } from './http/apiResponse.ts';
import { type RequestBody, hasReason, withReasonSchema } from './http/requestBody.ts';
import type { Live } from './live/index.ts';
import { fieldsSchema, findProjection, project, requireKnownFields } from './projection.ts';

/** The request that an endpoint is called by: one of HTTP, or the call of a tool (api/mcp). */
export interface RequestSource extends Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'socket'> {
  readonly method: string;
  /** With the query string; part of the fingerprint of a request with an idempotency key. */
  readonly url: string;
  /** Returns the body; an absent one is `{}` where `optional`. Throws 400, 413 or 415. */
  body(optional: boolean): Promise<RequestBody>;
}

/** Where a request stands on the live stream of its environment. */
export interface ReadPlace {
  /** The offset that the client says it has seen; null: none. */
  readonly seen: string | null;
  /** Everything that is answered is at least as new. */
  readonly position: number;
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
  /** Where the answer stands on the stream; shared by all that one request calls. */
  readonly place: ReadPlace;
  /** Further members of the request's line in the access log and of its span. */
  readonly notes: { tool: string | null };
  /** Returns a signal that is aborted when the client disconnects or the server stops. */
  readonly signal: () => AbortSignal;
  /** Returns the row that saves this response under the call's idempotency key; null without a key. */
  save(status: number, body: string, etag?: string): SavedResponse | null;
}

/** The argument of the handler of a public endpoint: there is no caller. */
export interface PublicCall<B = unknown, Q = unknown> {
  readonly deps: Deps;
  readonly query: Q;
  /** The environment as the path names it; it need not exist. */
  readonly environment: string;
  readonly body: B;
  readonly requestId: string;
  readonly address: string | null;
  /** The token by which the client's browser is known; null: none. */
  readonly browser: string | null;
  /** Returns the session of the browser's cookie, or null. */
  session(): Promise<AuthSession | null>;
}

/**
 * Which requests need a fresh sign-in: all, as those that give or take access; none; those of actions that declare it; or those
 * whose body has other members than these.
 */
export type FreshRule = 'always' | 'never' | 'byAction' | { readonly unlessOnly: readonly string[] };

export interface Endpoint {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly tag: string;
  /** Whether it changes something: refusals are audited. */
  readonly write: boolean;
  /** Whether app keys may call it. */
  readonly allowsApp: boolean;
  /** Throws for callers who may not call it at all, before their query and body are read; null: what they ask for decides. */
  readonly authorize: ((caller: Caller) => void) | null;
  readonly fresh: FreshRule;
  /** What an idempotency key does: `ignored` where nothing changes, so that clients may send one with every POST. */
  readonly idempotencyKey: 'accepted' | 'ignored' | 'refused';
  /** Throws `409 in_progress` while the first call with this idempotency key still waits for the customer's app. */
  readonly requireNotInProgress: ((call: Pick<EndpointCall, 'deps' | 'caller'>, key: string) => Promise<void>) | null;
  /** Whether `if-match` is accepted. */
  readonly conditional: boolean;
  readonly query: TObject | null;
  readonly body: TSchema | null;
  /** Whether an absent body counts as `{}`. */
  readonly bodyOptional: boolean;
  /** Whether the body may have `limits.bulkBodyBytes`. */
  readonly takesLargeBody: boolean;
  /** Whether its handler looks for values that can't be kept, and names the message that has them. */
  readonly takesMessage: boolean;
  /** Whether `reason` may be given in the body, which is recorded with the change. */
  readonly takesReason: boolean;
  /** Whether the row's own schema has `reason`, so that its check gets it too. */
  readonly ownsReason: boolean;
  readonly responses: Readonly<Record<number, TSchema | null>>;
  /** Whether standbys may serve it: lists, searches, summaries. A single row is read to be changed, and settings and people say who may do what. */
  readonly standby: boolean;
  /** Whether it only reads, for people who watch an agent: also where it is a POST. */
  readonly reads: boolean;
  /** What it shows, for the same people: what `:id` of its path names, `item` or `records` of its query or body; null: what its path names otherwise. */
  readonly about: 'item' | 'records' | 'run' | 'approval' | 'bulk' | 'agent' | null;
  /** Whether workers make way for it. */
  readonly foreground: boolean;
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
  readonly authorize?: Endpoint['authorize'];
  readonly fresh?: FreshRule;
  readonly standby?: boolean;
  readonly about?: NonNullable<Endpoint['about']>;
  readonly responses: Readonly<Record<number, TSchema | null>>;
  readonly example: Endpoint['example'];
}

const identity = (value: unknown): unknown => value;

/** Returns the query and the handler of an endpoint that reads, with `fields` where there is something to choose from. */
const projected = <Q extends TObject>({
  query,
  path,
  responses,
  handle: answer,
}: Pick<EndpointRow, 'path' | 'responses'> & {
  readonly query: Q;
  handle(call: EndpointCall<Static<Q>>): Promise<ApiResponse>;
}): Pick<Endpoint, 'query' | 'handle'> => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the query was checked by the schema of the row
  const handle: Endpoint['handle'] = (call) => answer(call as EndpointCall<Static<Q>>);
  const projection = findProjection(responses[200], path);
  if (projection === null) return { query, handle };
  return {
    query: strictObject({ ...query.properties, fields: fieldsSchema }),
    handle: async (call) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the query was checked by the schema with `fields`
      const { fields, ...rest } = call.query as { readonly fields?: readonly string[] };
      if (fields === undefined) return handle(call);
      requireKnownFields(projection, fields);
      return project(projection, fields, await handle({ ...call, query: rest }));
    },
  };
};

/** An endpoint that reads. Those that answer a list or one main object take `fields` (projection.ts). */
export const readEndpoint = <Q extends TObject>(
  row: EndpointRow & { readonly query: Q; handle(call: EndpointCall<Static<Q>>): Promise<ApiResponse> },
): Endpoint => ({
  authorize: null,
  fresh: 'never',
  standby: false,
  about: null,
  ...row,
  ...projected(row),
  method: 'get',
  write: false,
  reads: true,
  foreground: false,
  allowsApp: false,
  idempotencyKey: 'accepted',
  requireNotInProgress: null,
  conditional: false,
  body: null,
  bodyOptional: true,
  takesLargeBody: false,
  takesMessage: false,
  takesReason: false,
  ownsReason: false,
  audit: null,
  checkBody: identity,
  handlePublic: null,
});

export interface WriteEndpointRow<I, Q extends TObject = TObject> extends EndpointRow {
  readonly query?: Q;
  readonly method?: Endpoint['method'];
  readonly body: TSchema;
  readonly bodyOptional?: boolean;
  readonly takesLargeBody?: boolean;
  readonly takesMessage?: boolean;
  /** true where the change is audited, unless it is given. */
  readonly takesReason?: boolean;
  readonly allowsApp?: boolean;
  readonly idempotencyKey?: Endpoint['idempotencyKey'];
  readonly requireNotInProgress?: Endpoint['requireNotInProgress'];
  readonly conditional?: boolean;
  readonly audit: NonNullable<Endpoint['audit']> | null;
  /** true where the change is not audited, unless it is given. */
  readonly reads?: boolean;
  /** true where the change is audited, unless it is given. */
  readonly foreground?: boolean;
  readonly mapFault?: NonNullable<Endpoint['mapFault']>;
  check(body: unknown, at: number): I;
  handle(call: EndpointCall<Static<Q>, I>): Promise<ApiResponse>;
}

const takesReason = ({
  audit,
  takesReason: given = audit !== null,
}: Pick<WriteEndpointRow<unknown>, 'audit' | 'takesReason'>): boolean => given;

export const writeEndpoint = <I, Q extends TObject = TObject>(row: WriteEndpointRow<I, Q>): Endpoint => ({
  method: 'post',
  authorize: null,
  fresh: 'never',
  standby: false,
  about: null,
  reads: row.audit === null,
  foreground: row.audit !== null,
  bodyOptional: false,
  takesLargeBody: false,
  takesMessage: false,
  allowsApp: false,
  idempotencyKey: 'accepted',
  requireNotInProgress: null,
  conditional: false,
  query: null,
  ...row,
  takesReason: takesReason(row),
  ownsReason: hasReason(row.body),
  body: takesReason(row) ? withReasonSchema(row.body) : row.body,
  write: true,
  checkBody: (body, at) => row.check(body, at),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the row has checked the query, and its `check` returned the body
  handle: (call) => row.handle(call as EndpointCall<Static<Q>, I>),
  handlePublic: null,
});

/** A change that needs no token. Its handler writes the audit entry, because it alone finds out who called. */
export const publicEndpoint = <I>(
  row: Omit<WriteEndpointRow<I>, 'handle'> & { handle(call: PublicCall<I>): Promise<ApiResponse> },
): Endpoint => ({
  ...writeEndpoint({
    ...row,
    idempotencyKey: 'refused',
    takesReason: false,
    handle: () => Promise.reject(fault('unauthorized')),
  }),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `check` of the row returned the body
  handlePublic: (call) => row.handle(call as PublicCall<I>),
});

/** A read that needs no token. */
export const publicReadEndpoint = <Q extends TObject>(
  row: EndpointRow & { readonly query: Q; handle(call: PublicCall<unknown, Static<Q>>): Promise<ApiResponse> },
): Endpoint => ({
  ...readEndpoint({ ...row, handle: () => Promise.reject(fault('unauthorized')) }),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the query was checked by the schema of the row
  handlePublic: (call) => row.handle(call as PublicCall<unknown, Static<Q>>),
});
