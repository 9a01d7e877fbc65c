/** Serves an endpoint for a tool: the same row, checks, rights, audit and idempotency as for a request of HTTP. */
import type { EndpointCall, Endpoint, RequestSource } from '../endpoint.ts';
import type { ApiResponse } from '../answer.ts';
import { createEndpointServer } from '../endpointServer.ts';

/** What is asked of an endpoint, as far as a request of HTTP would say it. */
interface ToolEndpointRequest {
  readonly params: Readonly<Record<string, string>>;
  /** The body of a change, the query of a read. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

const pathOf = (path: string, params: ToolEndpointRequest['params']): string =>
  path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** As the same request over HTTP: a key that was used there stands for the same change here. */
const toRequestSource = (
  endpoint: Endpoint,
  environment: string,
  { params, values, headers }: ToolEndpointRequest,
): RequestSource => ({
  method: endpoint.method.toUpperCase(),
  url: `/api/env/${environment}${pathOf(endpoint.path, params)}`,
  headers,
  rawHeaders: Object.entries(headers).flat(),
  body: () => Promise.resolve({ value: values, raw: Buffer.from(JSON.stringify(values)).toString('latin1') }),
});

/** Answers what serves `endpoint` for calls of a tool. Throws its faults. */
export const serveEndpoint = (
  endpoint: Endpoint,
): ((call: EndpointCall, asked: ToolEndpointRequest) => Promise<ApiResponse>) => {
  const serve = createEndpointServer(endpoint);
  return ({ deps, live, caller, session, running, signal }, asked) => {
    const from = toRequestSource(endpoint, caller.env.name, asked);
    return serve(
      { deps, live, caller, session, running, signal, from, search: endpoint.write ? '' : asked.values },
      asked.params,
    );
  };
};
