/** The body of a change. A step of api/app.ts and api/mcp/serveEndpoint.ts. */
import type { EndpointContext, EndpointState, Next } from './state.ts';

const readBody = async (state: EndpointState, next: Next): Promise<unknown> => {
  state.body = await state.call.from.body(state.mounted.endpoint.bodyOptional);
  return next();
};

/** Reads the body; `callEndpoint` checks it against the schema. Throws 400, 413 or 415. */
export const body = ({ state }: EndpointContext, next: Next): Promise<unknown> =>
  state.mounted.endpoint.write ? readBody(state, next) : next();
