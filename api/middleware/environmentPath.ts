/** Which environment the path names. A step of api/app.ts. */
import type { Middleware } from 'koa';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { clientAddress } from '../http/clientAddress.ts';
import { authenticateRequest } from '../http/credentials.ts';
import type { EnvironmentState } from './state.ts';

const environmentPattern = /^\/api\/env\/([^/]+)(\/.*)$/;

/**
 * Reads the environment and the path below it from the URL. Throws `404 not_found` for every other path; below `/api/env`
 * first `401 unauthorized`, as everywhere there.
 */
export const environmentPath = (deps: Deps): Middleware<EnvironmentState> => {
  const refuse = async ({ req, state }: Parameters<Middleware<EnvironmentState>>[0]): Promise<never> => {
    if (state.path.startsWith('/api/env')) await authenticateRequest(deps, req);
    throw fault('not_found');
  };
  return (ctx, next) => {
    const { state } = ctx;
    const match = environmentPattern.exec(state.path);
    if (match === null) return refuse(ctx);
    const [, environment = '', below = '/'] = match;
    state.environment = environment;
    state.below = below;
    state.address = clientAddress(ctx.req, deps.config.trustProxy);
    return next();
  };
};
