/** What a client can narrow where a read took too long: the details of `too_broad`. For idempotency.ts. */
import { Fault, fault, type FaultDetail } from '../../shared/catalogue/errors.ts';
import { isStatementTimeout } from '../../shared/platform/db/errors.ts';
import type { Endpoint, EndpointCall } from '../endpoint.ts';

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
export const withNarrowing = (error: unknown, endpoint: Endpoint, call: EndpointCall): unknown =>
  isStatementTimeout(error) || (error instanceof Fault && error.code === 'too_broad')
    ? fault('too_broad', undefined, { details: narrowingDetails(endpoint, call) })
    : error;
