/** Sends the response. A step of api/app.ts. */
import type { Context, Middleware } from 'koa';
import type { Config } from '../../shared/platform/core/config.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { browserCookieHeader, sessionCookieHeader } from '../http/cookies.ts';
import { sendResponse } from '../http/response.ts';
import type { RequestState } from './state.ts';

const setCookies = ({ req, res }: Context, config: Config, { cookie, browserCookie }: ApiResponse): void => {
  res.setHeader('set-cookie', [
    ...(cookie === undefined ? [] : [sessionCookieHeader(req, config, cookie)]),
    ...(browserCookie === undefined ? [] : [browserCookieHeader(req, config, browserCookie)]),
  ]);
};

/** Sends `ctx.state.response` once the later steps have set it, with the cookies of a session that begins or ends. */
export const respond =
  (config: Config, isStopping: () => boolean): Middleware<RequestState> =>
  async (ctx, next) => {
    await next();
    const { response, headers } = ctx.state;
    if (isStopping()) headers['connection'] = 'close';
    if (response.cookie !== undefined || response.browserCookie !== undefined) setCookies(ctx, config, response);
    await sendResponse(ctx, response, headers);
  };
