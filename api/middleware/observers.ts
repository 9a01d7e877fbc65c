/** Who is told of a call: the audit log of changes that are refused, and people who watch an agent's reads. The first steps of an endpoint, in api/app.ts and api/mcp/serveEndpoint.ts. */
import { auditOutcomeOf, insertRefusal } from '../../shared/accounts/access/refusals.ts';
import { Fault } from '../../shared/catalogue/errors.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import type { AgentRead } from '../live/reads.ts';
import type { EndpointContext, EndpointState, Next } from './state.ts';

const auditRefusal = async ({ mounted: { endpoint }, call, body }: EndpointState, failure: Fault): Promise<void> => {
  const outcome = auditOutcomeOf(failure);
  // A dry run changes nothing: only what the role forbids is worth an entry.
  const dryRun = isObject(body?.value) && body.value['dryRun'] === true;
  if (endpoint.audit === null || outcome === null || (dryRun && outcome === 'failed')) return;
  const { deps, caller, params } = call;
  const target = endpoint.audit.target({ params, body: body?.value });
  const { verb } = endpoint.audit;
  await insertRefusal(deps.db, caller, { verb, target, outcome, code: failure.code, dryRun }, deps.clock.now());
};

/** Inserts an audit entry for a change that a later step refuses; gives faults the form of the endpoint's protocol. */
export const refusalAudit = ({ state }: EndpointContext, next: Next): Promise<unknown> =>
  state.mounted.endpoint.write ? auditRefusals(state, next) : next();

const auditRefusals = async (state: EndpointState, next: Next): Promise<void> => {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    await auditRefusal(state, error);
    throw state.mounted.endpoint.mapFault?.(error, state.call.params) ?? error;
  }
};

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

/** Returns the records whose actions a body of `POST /available` asks for. */
const askedRecords = (body: unknown): Target[] => {
  const refs = isObject(body) && Array.isArray(body['refs']) ? body['refs'] : [];
  return refs.filter(isObject).map(({ resource, id }) => recordTarget(String(resource), String(id)));
};

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const targetsOf = ({ mounted: { endpoint }, call: { params, query, body } }: EndpointState): Targets => {
  const { id, resource, page, flag } = params;
  const { about } = endpoint;
  if (about === 'item')
    return { targets: [], items: id !== undefined ? [id] : isObject(query) ? textsOf(query['ids']) : [] };
  if (about === 'records') return { targets: askedRecords(body), items: [] };
  const named = [
    resource === undefined ? null : id === undefined ? namedTarget('resource', resource) : recordTarget(resource, id),
    page === undefined ? null : namedTarget('page', page),
    flag === undefined ? null : namedTarget('flag', flag),
    id === undefined || about === null ? null : otherTarget(about, id),
  ].filter((target) => target !== null);
  return { targets: named, items: [] };
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
  return endpoint.reads && principal.type === 'agent' && reads.isWatched(env.id, principal.id)
    ? tellOf(state, next)
    : next();
};
