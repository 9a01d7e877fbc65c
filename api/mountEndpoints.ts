/** Mounts endpoint rows: one small @koa/router per first path segment, so that a request is matched against few routes. */
import { getOrCreate } from '../shared/platform/core/maps.ts';
import { Router } from '@koa/router';
import { fault } from '../shared/catalogue/errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { ApiResponse } from './answer.ts';
import { createEndpointServer, type EndpointRequest } from './endpointServer.ts';

interface MountedEndpoint {
  readonly route: string;
  readonly serve: ReturnType<typeof createEndpointServer>;
}

const firstSegment = (path: string): string => {
  const end = path.indexOf('/', 1);
  return end === -1 ? path.slice(1) : path.slice(1, end);
};

const none = (): void => undefined;

/**
 * Answers the handler of everything below `/api/env/<environment>`; `path` is the path below it. The routers only say
 * which endpoint it is: a chain of middleware that is put together for each request costs more than many an answer.
 */
export const mountEndpoints = (
  endpoints: readonly Endpoint[],
): ((path: string, request: EndpointRequest) => Promise<{ answer: ApiResponse; route: string }>) => {
  const routers = new Map<string, Router>();
  const mounted = new Map<unknown, MountedEndpoint>();
  for (const endpoint of endpoints) {
    if (endpoint.handlePublic !== null) continue;
    const segment = firstSegment(endpoint.path);
    const router = getOrCreate(routers, segment, () => new Router({ sensitive: true, strict: true }));
    mounted.set(router.register(endpoint.path, [endpoint.method], none), {
      route: endpoint.path,
      serve: createEndpointServer(endpoint),
    });
  }

  return async (path, request) => {
    const found = routers.get(firstSegment(path))?.match(path, request.from.method);
    const layer = found?.pathAndMethod[0];
    const known = mounted.get(layer);
    if (layer !== undefined && known !== undefined) {
      return { answer: await known.serve(request, layer.params(path, layer.captures(path))), route: known.route };
    }
    const allowed = found?.path.flatMap(({ methods }) => methods) ?? [];
    if (allowed.length === 0) throw fault('not_found');
    throw fault('method_not_allowed', undefined, { headers: { allow: [...new Set(allowed)].join(', ') } });
  };
};
