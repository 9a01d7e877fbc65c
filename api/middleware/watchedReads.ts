/** Reads of agents whom somebody watches. The first step of an endpoint, in api/app.ts and api/mcp/serveEndpoint.ts. */
import { auditOutcomeOf } from '../../shared/access/refusals.ts';
import { Fault } from '../../shared/catalogue/errors.ts';
import { isObject } from '../../shared/platform/core/jsonLimits.ts';
import type { Endpoint } from '../endpoint.ts';
import type { AgentRead } from '../live/reads.ts';
import type { EndpointContext, EndpointState, Next } from './state.ts';

/** Places in lists and streams: sealed texts that tell nobody anything. */
const places = new Set(['cursor', 'historyCursor', 'after', 'ticket']);

type Targets = Pick<AgentRead, 'targets' | 'items'>;
type Target = Targets['targets'][number];

const recordTarget = (resource: string, id: string): Target => ({
  type: 'record',
  id: `${resource}:${id}`,
  seenBy: { kind: 'resource', name: resource },
});
const namedTarget = (kind: 'resource' | 'page' | 'flag', name: string): Target => ({
  type: kind,
  id: name,
  seenBy: { kind, name },
});
const otherTarget = (type: string, id: string): Target => ({ type, id, seenBy: null });

/** The types of what `:id` names below the first segments of paths. */
const typesById: Readonly<Record<string, string>> = {
  runs: 'run',
  approvals: 'approval',
  bulk: 'bulk',
  settings: 'agent',
};

/** Returns the records whose actions a body of `POST /available` asks for. */
const askedRecords = (body: unknown): Target[] => {
  const refs = isObject(body) && Array.isArray(body['refs']) ? body['refs'] : [];
  return refs.filter(isObject).map(({ resource, id }) => recordTarget(String(resource), String(id)));
};

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const targetsOf = ({ mounted: { endpoint }, call: { params, query, body } }: EndpointState): Targets => {
  const [, segment = '', second] = endpoint.path.split('/');
  const { id, resource, page, flag } = params;
  if (segment === 'items')
    return {
      targets: [],
      items: id !== undefined ? [id] : second === 'batch' && isObject(query) ? textsOf(query['ids']) : [],
    };
  const named = [
    resource === undefined ? null : id === undefined ? namedTarget('resource', resource) : recordTarget(resource, id),
    page === undefined ? null : namedTarget('page', page),
    flag === undefined ? null : namedTarget('flag', flag),
    id === undefined || resource !== undefined ? null : otherTarget(typesById[segment] ?? segment, id),
  ].filter((target) => target !== null);
  return { targets: segment === 'available' ? askedRecords(body) : named, items: [] };
};

const queryOf = ({ call: { query } }: EndpointState): AgentRead['query'] =>
  isObject(query) ? Object.fromEntries(Object.entries(query).filter(([name]) => !places.has(name))) : null;

const readOf = (state: EndpointState, failure: unknown): AgentRead => {
  const { name, write } = state.mounted.endpoint;
  const fault = failure instanceof Fault ? failure : null;
  return {
    verb: name,
    via: state.call.ofTool === null ? 'http' : 'mcp',
    query: write ? {} : queryOf(state),
    ...targetsOf(state),
    outcome: failure === undefined ? 'ok' : ((fault === null ? null : auditOutcomeOf(fault)) ?? 'failed'),
    code: failure === undefined ? null : (fault?.code ?? 'internal'),
  };
};

/** Returns whether the endpoint only reads. A message of tools is none: its tools are. */
const onlyReads = ({ write, audit, path }: Endpoint): boolean => !write || (audit === null && path !== '/mcp');

const tellOf = async (state: EndpointState, next: Next): Promise<void> => {
  const { caller, live } = state.call;
  try {
    await next();
  } catch (error) {
    live.reads.tell(caller, readOf(state, error));
    throw error;
  }
  live.reads.tell(caller, readOf(state, undefined));
};

/** Publishes what the calling agent reads to the streams that watch it, whether the read is answered or refused. */
export const watchedReads = ({ state }: EndpointContext, next: Next): Promise<unknown> => {
  const {
    mounted: { endpoint },
    call: {
      live: { reads },
      caller: { env, principal },
    },
  } = state;
  return principal.type === 'agent' && reads.isWatched(env.id, principal.id) && onlyReads(endpoint)
    ? tellOf(state, next)
    : next();
};
