/** Serves the endpoints that take no token, before anybody asks who calls: nobody could sign in otherwise. */
import type { Context } from 'koa';
import { fault } from '../shared/catalogue/errors.ts';
import type { Deps } from '../shared/deps.ts';
import type { Endpoint, PublicCall } from './endpoint.ts';
import type { ApiResponse } from './answer.ts';
import { readRequestBody } from './middleware/body.ts';
import { isSameOrigin } from './middleware/cookies.ts';
import { createQueryParser } from './queryParser.ts';
import { strictObject } from '../shared/platform/core/schema.ts';

interface PublicRequest extends Pick<PublicCall, 'environment' | 'requestId' | 'address'> {
  readonly ctx: Context;
  readonly search: string;
}

const readQuery = createQueryParser(strictObject({}));
const refusedHeaders = ['idempotency-key', 'if-match'];

const servePublic = async (
  deps: Deps,
  endpoint: Endpoint,
  { ctx, search, ...call }: PublicRequest,
): Promise<ApiResponse> => {
  if (ctx.method !== endpoint.method.toUpperCase())
    throw fault('method_not_allowed', undefined, { headers: { allow: endpoint.method.toUpperCase() } });
  readQuery(search);
  for (const name of refusedHeaders) {
    if (ctx.req.headers[name] !== undefined)
      throw fault('invalid', `${name} is not taken here.`, { details: [{ path: name, message: 'is not taken here' }] });
  }
  // Somebody else's page must not sign a browser in as whom it likes.
  if (ctx.req.headers.origin !== undefined && !isSameOrigin(ctx.req, deps.config))
    throw fault('forbidden', 'The request comes from another site.');
  const { value } = await readRequestBody(ctx, endpoint.bodyOptional);
  const body = endpoint.checkBody(value, deps.clock.now());
  if (endpoint.handlePublic === null) throw fault('unauthorized');
  return endpoint.handlePublic({ deps, body, ...call });
};

/** Answers the one who serves `path` (below the environment) without a token, or undefined. */
export const createPublicServer = (
  deps: Deps,
  endpoints: readonly Endpoint[],
): ((path: string) => ((request: PublicRequest) => Promise<ApiResponse>) | undefined) => {
  const served = new Map(
    endpoints
      .filter(({ handlePublic: open }) => open !== null)
      .map((endpoint) => [endpoint.path, (request: PublicRequest) => servePublic(deps, endpoint, request)]),
  );
  return (path) => served.get(path);
};
