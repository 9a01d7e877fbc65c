/** The audit log of changes that are refused. The first step of an endpoint, in api/app.ts and api/mcp/serveEndpoint.ts. */
import { auditOutcomeOf, insertRefusal } from '../../shared/access/refusals.ts';
import { Fault } from '../../shared/catalogue/errors.ts';
import { isObject } from '../../shared/platform/core/jsonLimits.ts';
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
