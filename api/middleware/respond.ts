/** Sends the response. A step of api/app.ts. */
import type { Middleware } from 'koa';
import type { Config } from '../../shared/platform/core/config.ts';
import { sessionCookieHeader } from '../http/cookies.ts';
import { sendResponse } from '../http/response.ts';
import type { RequestState } from './state.ts';

/** Sends `ctx.state.response` once the later steps have set it, with the cookie of a session that begins or ends. */
export const respond =
  (config: Config, isStopping: () => boolean): Middleware<RequestState> =>
  async (ctx, next) => {
    await next();
    const { response, headers } = ctx.state;
    if (isStopping()) headers['connection'] = 'close';
    if (response.cookie !== undefined) headers['set-cookie'] = sessionCookieHeader(ctx.req, config, response.cookie);
    await sendResponse(ctx, response, headers);
  };
