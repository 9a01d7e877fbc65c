/** Which endpoint a request is for, and where its answer stands on the live stream. Steps of api/app.ts; api/mcp/serveEndpoint.ts mounts endpoints too. */
import { Router } from '@koa/router';
import type { Middleware, ParameterizedContext } from 'koa';
import { fault, Fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { strictObject } from '../../shared/platform/json/schema.ts';
import { lastPart } from '../../shared/platform/listing/seal.ts';
import type { Endpoint } from '../endpoint.ts';
import { createQueryParser } from '../http/queryParser.ts';
import { largeBody, messageBody, readRequestBody, usualBody } from '../http/requestBody.ts';
import type { Live } from '../live/index.ts';
import { alternateLastPart } from '../live/offsets.ts';
import { ownerOf } from './call.ts';
import type { RequestTracker } from './requests.ts';
import type { CallerState, EndpointState, MountedEndpoint, PendingCall } from './state.ts';

const noParameters = strictObject({});

/** Compiles an endpoint's row. */
export const mountEndpoint = (endpoint: Endpoint): MountedEndpoint => ({
  endpoint,
  parseQuery: createQueryParser(endpoint.query ?? noParameters),
});

const firstSegment = (path: string): string => {
  const end = path.indexOf('/', 1);
  return end === -1 ? path.slice(1) : path.slice(1, end);
};

type Route = (
  method: string,
  path: string,
) => { readonly mounted: MountedEndpoint; readonly params: PendingCall['params'] };

/**
 * Returns the function that finds an endpoint by the path below its environment. The routers only match: the middleware
 * that they would put together for each request costs more than many a response. Throws `404 not_found` and
 * `405 method_not_allowed`.
 */
const createRoutes = (endpoints: readonly Endpoint[]): Route => {
  const none = (): void => undefined;
  const routers = new Map<string, Router>();
  const mountedByLayer = new Map<unknown, MountedEndpoint>();
  for (const endpoint of endpoints) {
    if (endpoint.handlePublic !== null) continue;
    const segment = firstSegment(endpoint.path);
    const router = routers.get(segment) ?? new Router({ sensitive: true, strict: true });
    routers.set(segment, router);
    mountedByLayer.set(router.register(endpoint.path, [endpoint.method], none), mountEndpoint(endpoint));
  }
  return (method, path) => {
    const found = routers.get(firstSegment(path))?.match(path, method);
    const layer = found?.pathAndMethod[0];
    const mounted = mountedByLayer.get(layer);
    if (layer !== undefined && mounted !== undefined)
      return { mounted, params: layer.params(path, layer.captures(path)) };
    const allowed = found?.path.flatMap(({ methods }) => methods) ?? [];
    if (allowed.length === 0) throw fault('not_found');
    throw fault('method_not_allowed', undefined, { headers: { allow: [...new Set(allowed)].join(', ') } });
  };
};

const bodyLimitsOf = ({ takesLargeBody, takesMessage }: Endpoint): typeof usualBody =>
  takesLargeBody ? largeBody : takesMessage ? messageBody : usualBody;

const saveNothing = (): null => null;

/** Finds the endpoint and begins its call. */
export const routing = (
  deps: Deps,
  live: Live,
  requests: RequestTracker,
  endpoints: readonly Endpoint[],
): Middleware<CallerState & EndpointState> => {
  const route = createRoutes(endpoints);
  const running: PendingCall['running'] = new Map();
  const beginCall = (
    { req, res, state }: ParameterizedContext<CallerState & EndpointState>,
    params: PendingCall['params'],
    body: PendingCall['from']['body'],
  ): PendingCall => ({
    deps,
    live,
    from: {
      method: req.method ?? '',
      url: req.url ?? '',
      headers: req.headers,
      rawHeaders: req.rawHeaders,
      socket: req.socket,
      body,
    },
    caller: state.caller,
    session: state.session,
    running,
    params,
    query: undefined,
    body: undefined,
    ifMatch: undefined,
    ofTool: null,
    place: state.place,
    notes: { tool: null },
    signal: () => requests.signalOf(res),
    save: saveNothing,
  });
  return (ctx, next) => {
    const { state } = ctx;
    const { mounted, params } = route(ctx.method, state.below);
    state.route = mounted.endpoint.path;
    state.pattern = mounted.endpoint.path;
    state.mounted = mounted;
    state.body = null;
    state.idempotencyKey = null;
    state.call = beginCall(ctx, params, (optional) => readRequestBody(ctx, optional, bodyLimitsOf(mounted.endpoint)));
    return next();
  };
};

/**
 * Sets `x-live-offset`, the position of the stream from before the response was read, on responses with items and on
 * `version_conflict`, which shows the item or the flag as it is. Where standbys serve reads, every change has one, in its other
 * form: the change comes after it, and the client's next read has to see it (call.ts).
 */
export const streamOffset =
  ({ standbys }: Pick<Deps, 'standbys'>, live: Live): Middleware<CallerState> =>
  async ({ state, method, req }, next) => {
    const { env } = state.caller;
    const { 'x-live-offset': seen } = req.headers;
    const position = await live.position(env);
    state.place = { seen: typeof seen === 'string' ? seen : null, position };
    const mayLackChange = (): boolean => standbys?.mayLackChangeOf(ownerOf(state)) === true;
    const setOffset = (): void => {
      const follows = mayLackChange() || (standbys !== null && method !== 'GET');
      const part = follows ? alternateLastPart : lastPart;
      state.headers['x-live-offset'] = env.seal.offset({ epoch: env.epoch, position, part });
    };
    try {
      await next();
    } catch (error) {
      if (error instanceof Fault && error.code === 'version_conflict') setOffset();
      throw error;
    }
    if (state.response.items === true || (method !== 'GET' && mayLackChange())) setOffset();
  };
