/** The query string of a request, or the arguments of a tool that reads. A step of api/app.ts and api/mcp/serveEndpoint.ts. */
import type { EndpointContext, Next } from './state.ts';

/** Parses the query by the schema of the endpoint; most changes take none. Throws `400 invalid`. */
export const query = ({ state }: EndpointContext, next: Next): Promise<unknown> => {
  state.call.query = state.mounted.parseQuery(state.search);
  return next();
};
