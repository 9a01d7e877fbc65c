/** Calls the handler of an endpoint: a change with its checked body, a read at a standby or with its share of the connections. Used by once.ts. */
import { Fault, fault, type FaultDetail } from '../../shared/catalogue/errors.ts';
import { isStatementTimeout } from '../../shared/platform/db/errors.ts';
import type { Endpoint, EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { splitReason } from '../http/requestBody.ts';
import { alternateLastPart } from '../live/offsets.ts';
import type { EndpointState } from './state.ts';

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
