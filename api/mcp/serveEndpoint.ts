/** Serves an endpoint for a tool by the same steps as a request of HTTP: audit, access, limits, query, body, headers, idempotency. */
import type { Endpoint, EndpointCall, RequestSource } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import {
  callEndpoint,
  body,
  changeHeaders,
  endpointAccess,
  foreground,
  query,
  writeLimit,
} from '../middleware/call.ts';
import { refusalAudit, watchedReads } from '../middleware/observers.ts';
import { idempotency } from '../middleware/once.ts';
import { mountEndpoint } from '../middleware/route.ts';
import type { EndpointContext, EndpointState, Next } from '../middleware/state.ts';

/** The call of an endpoint by a tool. */
interface ToolEndpointRequest {
  readonly params: Readonly<Record<string, string>>;
  /** The body of a change, the query of a read. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  /** What a repeat under the same idempotency key is compared by; absent: the values. */
  readonly fingerprinted?: Readonly<Record<string, unknown>>;
  /** Arguments that are the tool's alone. */
  readonly own?: Readonly<Record<string, unknown>>;
}

const pathOf = (path: string, params: ToolEndpointRequest['params']): string =>
  path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

/** Returns the same request as over HTTP, so that an idempotency key that was used there names the same change here. */
const toRequestSource = (
  endpoint: Endpoint,
  { caller, from }: EndpointCall,
  { params, values, fingerprinted = values, headers }: ToolEndpointRequest,
): RequestSource => ({
  method: endpoint.method.toUpperCase(),
  url: `/api/env/${caller.env.name}${pathOf(endpoint.path, params)}`,
  headers,
  socket: from.socket,
  rawHeaders: Object.entries(headers).flat(),
  body: () => Promise.resolve({ value: values, raw: Buffer.from(JSON.stringify(fingerprinted)).toString('latin1') }),
});

type Step = (context: EndpointContext, next: Next) => Promise<unknown>;

/** The last steps of api/app.ts, in the same order. */
const steps: readonly Step[] = [
  refusalAudit,
  watchedReads,
  endpointAccess,
  foreground,
  writeLimit,
  query,
  body,
  changeHeaders,
  idempotency(callEndpoint),
];

/** Runs each step in the one before it, as Koa does. */
const runSteps = steps.reduceRight<(context: EndpointContext) => Promise<unknown>>(
  (next, step) => async (context) => step(context, () => next(context)),
  () => Promise.resolve(),
);

/** The response until a step sets one. */
const noResponse: ApiResponse = { status: 404, body: undefined };

/** Returns the function that serves `endpoint` for the call of a tool. It throws the faults of the endpoint. */
export const serveEndpoint = (
  endpoint: Endpoint,
): ((call: EndpointCall, request: ToolEndpointRequest) => Promise<ApiResponse>) => {
  const mounted = mountEndpoint(endpoint);
  return async (call, request) => {
    const state: EndpointState = {
      mounted,
      call: {
        ...call,
        from: toRequestSource(endpoint, call, request),
        params: request.params,
        query: undefined,
        body: undefined,
        ifMatch: undefined,
        ofTool: request.own ?? {},
        save: () => null,
      },
      search: endpoint.write ? '' : request.values,
      body: null,
      idempotencyKey: null,
      response: noResponse,
    };
    await runSteps({ state });
    return state.response;
  };
};
