/** The query string of a request, or the arguments of a tool that reads. A step of api/app.ts and api/mcp/serveEndpoint.ts. */
import type { EndpointContext, Next } from './state.ts';

/** Parses the query by the schema of the endpoint; changes take none. Throws `400 invalid`. */
export const query = ({ state }: EndpointContext, next: Next): Promise<unknown> => {
  const parsed = state.mounted.parseQuery(state.search);
  if (!state.mounted.endpoint.write) state.call.query = parsed;
  return next();
};
