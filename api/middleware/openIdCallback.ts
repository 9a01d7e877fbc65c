/** The page that the OpenID Connect provider sends its answers to, one for all environments. A step of api/app.ts. */
import type { Middleware } from 'koa';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { openFlow } from '../../shared/settings/openId/flow.ts';
import { SignInRefusal } from '../../shared/settings/openId/problems.ts';
import { callbackPath, type OpenId } from '../../shared/settings/openId/provider.ts';
import { endSignIn } from '../../shared/settings/openId/signInByProvider.ts';
import { countRefusedSignIn } from '../../shared/settings/signInMetrics.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { clientAddress } from '../http/clientAddress.ts';
import { readFlowCookie } from '../http/cookies.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import { pageAddress } from '../http/returnTo.ts';
import type { RequestState } from './state.ts';

type Context = Parameters<Middleware<RequestState>>[0];

const redirect = (location: string, more: Pick<ApiResponse, 'cookie' | 'flowCookie'>): ApiResponse => ({
  status: 303,
  body: undefined,
  headers: { location },
  ...more,
});

/** A query of more can only be a stranger's. */
const searchLength = 8_000;

/** Ends the sign-in of the browser, whatever the answer says: its cookie serves once. */
const answer = async (deps: Deps, openId: OpenId, { req, state }: Context, address: string | null) => {
  const { publicUrl } = deps.config;
  const search = state.search.slice(0, searchLength);
  const flow = openFlow(deps.directory, readFlowCookie(req), deps.clock.now());
  const isOwn = flow !== null && flow.state === new URLSearchParams(search).get('state');
  try {
    if (!isOwn) throw new SignInRefusal('not_begun_here');
    const ended = await endSignIn(deps, openId, flow, { search: `?${search}`, requestId: state.requestId, address });
    if (ended.type === 'again') return redirect(ended.begun.url, { flowCookie: ended.begun.flow });
    const cookie = ended.token === null ? {} : { cookie: ended.token };
    return redirect(pageAddress(publicUrl, flow.returnTo, null), { flowCookie: null, ...cookie });
  } catch (error) {
    if (!(error instanceof SignInRefusal)) throw error;
    countRefusedSignIn(error.problem);
    deps.log.warn({ requestId: state.requestId, problem: error.problem, why: error.why }, 'a sign-in was refused');
    return redirect(pageAddress(publicUrl, isOwn ? flow.returnTo : null, error.problem), { flowCookie: null });
  } finally {
    // The client's next request here finds who was made, and what has changed or ended; the directory polls anyway.
    if (isOwn) await deps.directory.refresh().catch(() => undefined);
  }
};

/** Serves the answers of the provider, which count by the client's address; passes on all other requests, and all where there is no provider. */
export const openIdCallback = (deps: Deps, limiter: RateLimiter): Middleware<RequestState> => {
  const { openId, config } = deps;
  if (openId === null) return (_ctx, next) => next();
  return async (ctx, next) => {
    if (ctx.state.path !== callbackPath) {
      await next();
      return;
    }
    if (ctx.method !== 'GET') throw fault('method_not_allowed', undefined, { headers: { allow: 'GET' } });
    const address = clientAddress(ctx.req, config.trustProxy);
    await limiter.countAddress(address, ctx.state.headers);
    ctx.state.response = await answer(deps, openId, ctx, address);
    ctx.state.route = callbackPath;
  };
};
