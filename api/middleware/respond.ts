/** Sends the response. A step of api/app.ts. */
import type { Context, Middleware } from 'koa';
import type { Config } from '../../shared/platform/core/config.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { browserCookieHeader, flowCookieHeader, sessionCookieHeader } from '../http/cookies.ts';
import { sendResponse } from '../http/response.ts';
import type { RequestState } from './state.ts';

const setCookies = (
  { req, res }: Context,
  config: Config,
  { cookie, browserCookie, flowCookie }: ApiResponse,
): void => {
  res.setHeader('set-cookie', [
    ...(cookie === undefined ? [] : [sessionCookieHeader(req, config, cookie)]),
    ...(browserCookie === undefined ? [] : [browserCookieHeader(req, config, browserCookie)]),
    ...(flowCookie === undefined ? [] : [flowCookieHeader(req, config, flowCookie)]),
  ]);
};

/** Sends `ctx.state.response` once the later steps have set it, with the cookies of a session or a sign-in that begins or ends. */
export const respond =
  (config: Config, isStopping: () => boolean): Middleware<RequestState> =>
  async (ctx, next) => {
    await next();
    const { response, headers } = ctx.state;
    if (isStopping()) headers['connection'] = 'close';
    const { cookie, browserCookie, flowCookie } = response;
    if (cookie !== undefined || browserCookie !== undefined || flowCookie !== undefined)
      setCookies(ctx, config, response);
    await sendResponse(ctx, response, headers);
  };
