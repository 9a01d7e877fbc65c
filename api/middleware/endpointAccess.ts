/** Refuses requests by the row of the endpoint alone. A step of api/app.ts and api/mcp/serveEndpoint.ts. */
import { fault } from '../../shared/catalogue/errors.ts';
import { textProblem } from '../../shared/platform/core/jsonLimits.ts';
import type { EndpointContext, Next } from './state.ts';

/** Throws `403 forbidden` for app keys unless the row allows them, and `404 not_found` for ids that PostgreSQL could not compare. */
export const endpointAccess = ({ state }: EndpointContext, next: Next): Promise<unknown> => {
  const { caller, params } = state.call;
  if (caller.principal.type === 'app' && !state.mounted.endpoint.allowsApp)
    throw fault('forbidden', 'An app key may not call this.');
  for (const name in params) if (textProblem(params[name] ?? '') !== null) throw fault('not_found');
  return next();
};
