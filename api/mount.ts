/** Mounts endpoint rows: one small @koa/router per first path segment, so that a request is matched against few routes. */
import { Router } from '@koa/router';
import type { Context } from 'koa';
import { fault } from '../shared/catalogue/errors.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { server, type Request } from './serve.ts';

type Serve = (request: Request) => Promise<Answer>;

interface Matched extends Context {
  params: Record<string, string>;
  state: { request: Omit<Request, 'params'>; answer?: Answer; route?: string };
}

const segmentOf = (path: string): string => path.split('/', 2)[1] ?? '';

/** Answers the handler of everything below `/api/env/<environment>`. `request.ctx.path` is the path below it. */
export const mount = (endpoints: readonly Endpoint[]): ((path: string, request: Omit<Request, 'params'>) => Promise<{ answer: Answer; route: string }>) => {
  const routers = new Map<string, Router>();
  for (const endpoint of endpoints) {
    const segment = segmentOf(endpoint.path);
    const router = routers.get(segment) ?? new Router({ sensitive: true, strict: true });
    routers.set(segment, router);
    const serve: Serve = server(endpoint);
    router.register(endpoint.path, [endpoint.method], async (ctx) => {
      const { state, params } = ctx as unknown as Matched;
      state.route = endpoint.path;
      state.answer = await serve({ ...state.request, params });
    });
  }
  const handlers = new Map([...routers].map(([segment, router]) => [segment, { router, dispatch: router.routes() }]));

  return async (path, request) => {
    const known = handlers.get(segmentOf(path));
    if (known === undefined) throw fault('not_found');
    const ctx = request.ctx as unknown as Matched & { newRouterPath?: string };
    ctx.state.request = request;
    ctx.newRouterPath = path;
    await known.dispatch(ctx as never, async () => {});
    if (ctx.state.answer !== undefined) return { answer: ctx.state.answer, route: ctx.state.route ?? '' };
    const allowed = known.router.match(path, 'GET').path.flatMap((layer) => layer.methods);
    if (allowed.length === 0) throw fault('not_found');
    throw fault('method_not_allowed', undefined, { headers: { allow: [...new Set(allowed)].join(', ') } });
  };
};
