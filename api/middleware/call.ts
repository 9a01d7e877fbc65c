/**
 * What an endpoint is called with: rights that its row demands, limits of what is written, query, body and conditional headers; and the
 * call itself, of a read at a standby or with its share of the connections. Steps of api/app.ts and api/mcp/serveEndpoint.ts, in this order.
 */
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { type FaultDetail, fault, Fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { cutTexts, longTexts } from '../../shared/items/search/savedTexts.ts';
import { getOrCreate } from '../../shared/platform/caches.ts';
import { isStatementTimeout } from '../../shared/platform/db/errors.ts';
import { type IdempotencyKey, requestFingerprint } from '../../shared/platform/journal/idempotency.ts';
import { isObject, textProblem } from '../../shared/platform/json/jsonLimits.ts';
import { type Bus, channels } from '../../shared/platform/redis/bus.ts';
import { createInterval } from '../../shared/platform/time/clock.ts';
import type { Endpoint, EndpointCall, RequestSource } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { withoutMember } from '../http/jsonMember.ts';
import { type RequestBody, splitReason } from '../http/requestBody.ts';
import { headerValues } from '../http/requestHeaders.ts';
import { alternateLastPart } from '../live/offsets.ts';
import type { EndpointContext, EndpointState, Next } from './state.ts';

/** Returns the owner of the share of the connections from which a call that reads takes one. */
export const ownerOf = ({ caller, session }: Pick<EndpointCall, 'caller' | 'session'>): string =>
  caller.principal.id ?? session.credential;

/** Notes who has changed something, whatever became of it: the primary answers their reads until standbys are that far. */
export const noteChange = ({ mounted: { endpoint }, call }: EndpointState): void => {
  if (endpoint.write && endpoint.audit !== null) call.deps.standbys?.changed(ownerOf(call));
};

/** Returns the position that the client has seen; null where it does not tell enough, as after a change of its own. */
const seenPosition = ({ place: { seen }, caller: { env } }: EndpointCall): number | null => {
  if (seen === null) return 0;
  const opened = env.seal.openOffset(seen);
  return opened === null || opened.epoch !== env.epoch || opened.part === alternateLastPart ? null : opened.position;
};

/** Returns whether a fault is of the request itself; what a standby says is not there may be there by now. */
const isOfRequest = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'too_broad' || error.code === 'rate_limited');

/**
 * Returns the answer of a standby; null: the primary has to give it. Whatever fails at a standby is done again there, refusals
 * included, so that a refusal is always the primary's.
 */
const answerByStandby = async ({ mounted: { endpoint }, call }: EndpointState): Promise<ApiResponse | null> => {
  const { deps, caller, place } = call;
  if (deps.standbys === null || !endpoint.standby) return null;
  const seen = seenPosition(call);
  const found = await deps.standbys.find({
    owner: ownerOf(call),
    afterChange: seen === null,
    env: caller.env.id,
    epoch: caller.env.epoch,
    position: Math.max(place.position, seen ?? 0),
    span: caller.span ?? null,
  });
  if (found === null) return null;
  try {
    call.deps = { ...deps, db: found.db };
    return await endpoint.handle(call);
  } catch (error) {
    if (isOfRequest(error)) throw withNarrowing(error, endpoint, call);
    if (!(error instanceof Fault)) found.failed();
    return null;
  } finally {
    call.deps = deps;
  }
};

/** What to change about a parameter that was given; those that cost most come first. */
const givenAdvice = {
  search: 'use fewer, longer or rarer words',
  q: 'use fewer, longer or rarer words',
  filters: 'use conditions that fewer records pass',
  tags: 'name rarer tags',
  from: 'give a later time, or to',
  to: 'give from, close before it',
  actor: 'give from and to as well',
  actorKind: 'give from and to as well',
  verb: 'give from and to as well',
  target: 'give from and to as well',
  assignee: 'give inbox and state as well',
  createdAfter: 'give a shorter time',
  createdBefore: 'give a shorter time',
  seenAfter: 'give a shorter time',
  seenBefore: 'give a shorter time',
  state: 'give inbox as well',
  view: 'give inbox as well',
  overdue: 'give inbox as well',
  triaged: 'give inbox as well',
  snoozed: 'give inbox as well',
  status: 'give further filters',
  action: 'give further filters',
  sort: 'leave it out: the order that is used without it is found soonest',
} as const;

/** What to give where none of these was. */
const absentAdvice = {
  inbox: 'name one inbox',
  filters: 'give conditions that few records pass',
  from: 'give a time',
  status: 'name a status',
  limit: 'ask for fewer at once',
  params: 'name something with less to show',
} as const;

/** Returns the parameters to narrow, at least one. */
const narrowingDetails = ({ query: schema }: Endpoint, { query, params }: EndpointCall): FaultDetail[] => {
  const given: object = typeof query === 'object' && query !== null ? query : {};
  const asked = Object.entries(givenAdvice).filter(([path]) => Object.hasOwn(given, path));
  const offered = Object.keys(schema?.properties ?? {});
  const found = asked.length > 0 ? asked : Object.entries(absentAdvice).filter(([path]) => offered.includes(path));
  if (found.length > 0) return found.map(([path, message]) => ({ path, message }));
  const path = Object.keys(params).at(-1) ?? 'limit';
  return [{ path, message: 'has more to it than can be read at once' }];
};

/** Returns the fault of a read that PostgreSQL stopped, with what to narrow, or the error itself. */
const withNarrowing = (error: unknown, endpoint: Endpoint, call: EndpointCall): unknown =>
  isStatementTimeout(error) || (error instanceof Fault && error.code === 'too_broad')
    ? fault('too_broad', undefined, { details: narrowingDetails(endpoint, call) })
    : error;

/** Calls a handler that reads: its statements are bounded in time and share the connections with those of other principals. */
const callRead = async (state: EndpointState): Promise<ApiResponse> => {
  const {
    mounted: { endpoint },
    call,
  } = state;
  const { deps, caller } = call;
  const response = await answerByStandby(state);
  if (response !== null) return response;
  call.deps = { ...deps, db: deps.reads.of(ownerOf(call), caller.span) };
  try {
    return await endpoint.handle(call);
  } catch (error) {
    throw withNarrowing(error, endpoint, call);
  }
};

/** Calls the handler of the endpoint's row, after checking the body of a change. */
export const callEndpoint = (state: EndpointState): Promise<ApiResponse> => {
  const {
    mounted: { endpoint },
    call,
    body,
  } = state;
  if (!endpoint.write) return callRead(state);
  if (body !== null) {
    const { reason, rest } = endpoint.takesReason ? splitReason(body.value) : { reason: null, rest: body.value };
    if (reason !== null) call.caller = { ...call.caller, reason };
    call.body = endpoint.checkBody(endpoint.ownsReason ? body.value : rest, call.deps.clock.now());
  }
  return endpoint.handle(call);
};

/** Throws 403 for callers whom the row refuses whatever they ask for, and `404 not_found` for ids that PostgreSQL could not compare. */
export const endpointAccess = ({ state }: EndpointContext, next: Next): Promise<unknown> => {
  const { caller, params } = state.call;
  const { allowsApp, authorize } = state.mounted.endpoint;
  if (caller.principal.type === 'app' && !allowsApp) throw fault('forbidden', 'An app key may not call this.');
  authorize?.(caller);
  for (const name in params) if (textProblem(params[name] ?? '') !== null) throw fault('not_found');
  return next();
};

/** ms between two signals of a process. */
const signalMs = 200;

const intervals = new WeakMap<Bus, () => boolean>();

const isDue = (bus: Bus): boolean => {
  const known = intervals.get(bus) ?? createInterval(signalMs);
  intervals.set(bus, known);
  return known();
};

/**
 * Publishes a signal for a change by a person or an agent, at most one each `signalMs`. Rows say which changes do.
 */
export const foreground = ({ state }: EndpointContext, next: Next): Promise<unknown> => {
  const {
    mounted: { endpoint },
    call: { caller, deps },
  } = state;
  const counts = endpoint.foreground && caller.principal.type !== 'app';
  if (counts && isDue(deps.bus)) deps.bus.publish(channels.foreground, '');
  return next();
};

/** Returns whether a change may make its environment larger: removals and settings go on in a full one. */
const grows = ({ method, path }: Endpoint): boolean => method !== 'delete' && !path.startsWith('/settings/');

const bytesOf = ({ body }: ApiResponse): number =>
  body === undefined ? 0 : typeof body === 'string' ? body.length : JSON.stringify(body).length;

/** A request stands in the row and in the history, and what it makes is in the live message as in the answer. */
const requestCopies = 2;

const countWritten = async (state: EndpointState, next: Next): Promise<void> => {
  const { call, mounted } = state;
  const { meter } = call.deps;
  const [owner, envId] = [ownerOf(call), call.caller.env.id];
  await meter.require(owner, envId, grows(mounted.endpoint));
  await next();
  const { body, response } = state;
  const isReplayed = response.headers?.['idempotent-replayed'] !== undefined;
  if (!isReplayed) meter.count(owner, envId, requestCopies * (body?.raw.length ?? 0) + bytesOf(response));
};

/** Throws `429 rate_limited` and `507 quota_exceeded`. What changes nothing is not counted. */
export const writeLimit = ({ state }: EndpointContext, next: Next): Promise<unknown> =>
  state.mounted.endpoint.write && state.mounted.endpoint.idempotencyKey === 'accepted'
    ? countWritten(state, next)
    : next();

/** Parses the query by the schema of the endpoint; most changes take none. Throws `400 invalid`. */
export const query = ({ state }: EndpointContext, next: Next): Promise<unknown> => {
  const { mounted, search } = state;
  if (search !== '' || mounted.endpoint.query !== null) state.call.query = mounted.parseQuery(search);
  return next();
};

const readBody = async (state: EndpointState, next: Next): Promise<unknown> => {
  state.body = await state.call.from.body(state.mounted.endpoint.bodyOptional);
  return next();
};

/** Reads the body; `callEndpoint` checks it against the schema. Throws 400, 413 or 415. */
export const body = ({ state }: EndpointContext, next: Next): Promise<unknown> =>
  state.mounted.endpoint.write ? readBody(state, next) : next();

const keyForm = /^[\x20-\x7e]{1,255}$/;
const matchForm = /^(?:W\/)?"(0|[1-9]\d{0,14})"$/;

const singleHeader = (from: RequestSource, name: string): string | undefined => {
  const given = headerValues(from, name);
  if (given.length > 1)
    throw fault('invalid', `${name} is given more than once.`, {
      details: [{ path: name, message: 'is given more than once' }],
    });
  return given[0];
};

/**
 * Returns the body to be fingerprinted: without a password, because a fingerprint is quick to compute for a guess, and
 * without the reason, which does not make another request.
 */
const fingerprinted = ({ raw, value }: RequestBody): string => {
  if (!isObject(value)) return raw;
  if ('password' in value) return Buffer.from(JSON.stringify({ ...value, password: null })).toString('latin1');
  return 'reason' in value ? withoutMember(raw, 'reason') : raw;
};

const parseIdempotencyKey = (
  { from, caller, session }: EndpointCall,
  endpoint: Endpoint,
  body: RequestBody,
): IdempotencyKey | null => {
  if (endpoint.idempotencyKey === 'ignored') return null;
  const key = singleHeader(from, 'idempotency-key');
  if (key === undefined) return null;
  const refuse = (message: string): Fault =>
    fault('invalid', `idempotency-key ${message}.`, { details: [{ path: 'idempotency-key', message }] });
  if (endpoint.idempotencyKey === 'refused') throw refuse('is not taken here');
  if (!keyForm.test(key) || key.trim() === '')
    throw refuse(`must be 1 to ${String(limits.idempotencyKeyMax)} printable characters`);
  // A large body takes as long to hash as many changes: it is hashed only for callers who have the right.
  let fingerprint: Buffer | null = null;
  return {
    principal: caller.principal.id ?? session.credential,
    key,
    fingerprint: () => (fingerprint ??= requestFingerprint(from.method, from.url, fingerprinted(body))),
  };
};

const parseIfMatch = (from: RequestSource, endpoint: Endpoint): number | undefined => {
  const given = singleHeader(from, 'if-match');
  if (given === undefined || given === '*') return undefined;
  const version = matchForm.exec(given)?.[1];
  if (version === undefined || !endpoint.conditional) {
    const message = endpoint.conditional ? 'must be "<version>" in quotes, or *' : 'is not taken here';
    throw fault('invalid', `if-match ${message}.`, { details: [{ path: 'if-match', message }] });
  }
  return Number(version);
};

/** Paths of accounts and settings. They have no history, so that a repeat could not find their earlier texts. */
const withoutHistory = /^\/(?:me|settings)\b/;
const longTextsOf = new WeakMap<object, ReadonlyMap<string, string>>();

/**
 * Returns whether a long text has to stay in the response that is saved. A repeat sends the same texts, but for the reason, and
 * finds those that were written; what an app declares may be another by then.
 */
const staysIn = ({ env: { definition } }: Caller, { path }: Endpoint, body: RequestBody) => {
  const has = (of: object, value: unknown, digest: string): boolean =>
    getOrCreate(longTextsOf, of, () => longTexts(value)).has(digest);
  const sent = isObject(body.value) ? { ...body.value, reason: null } : body.value;
  return (digest: string): boolean =>
    !has(body, sent, digest) && (withoutHistory.test(path) || has(definition, definition.manifest, digest));
};

/** Parses `idempotency-key` and `if-match` of a change. Throws `400 invalid`. */
export const changeHeaders = ({ state }: EndpointContext, next: Next): Promise<unknown> => {
  const { call, mounted, body } = state;
  if (body === null) return next();
  const key = parseIdempotencyKey(call, mounted.endpoint, body);
  call.ifMatch = parseIfMatch(call.from, mounted.endpoint);
  if (key !== null) {
    state.idempotencyKey = key;
    call.save = (status, text, etag) => ({
      principal: key.principal,
      key: key.key,
      fingerprint: key.fingerprint(),
      status,
      body: cutTexts(text, staysIn(call.caller, mounted.endpoint, body)),
      etag: etag ?? null,
    });
  }
  return next();
};
