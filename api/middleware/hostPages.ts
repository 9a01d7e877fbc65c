/** The pages of the host outside `/api`: the probes, and the documents for writing clients. A step of api/app.ts. */
import { createHash } from 'node:crypto';
import type { Middleware } from 'koa';
import { fault } from '../../shared/catalogue/errors.ts';
import { manifestSchema } from '../../shared/environments/manifest.ts';
import type { Config } from '../../shared/platform/core/config.ts';
import type { Probes } from '../../shared/platform/health/probes.ts';
import { docsPage, docsStyle } from '../docsPage.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { clientAddress } from '../http/clientAddress.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import { buildOpenApiDocument } from '../openapi.ts';
import type { RequestState } from './state.ts';

/** The page has one style and nothing else that a browser would load or run. */
const docsPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(docsStyle).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const documentPages = (endpoints: readonly Endpoint[]): [string, () => ApiResponse][] => {
  const document = buildOpenApiDocument(endpoints);
  const text = JSON.stringify(document);
  const page = docsPage(document);
  const manifest = JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Manifest',
    ...manifestSchema,
  });
  const html = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': docsPolicy };
  return [
    ['/openapi.json', () => ({ status: 200, body: text })],
    ['/docs', () => ({ status: 200, body: page, headers: html })],
    ['/manifest.schema.json', () => ({ status: 200, body: manifest })],
  ];
};

/** A page, and who is limited in asking for it: everybody but the networks of PROBE_NETWORKS, everybody, or nobody. */
interface HostPage {
  readonly serve: () => ApiResponse | Promise<ApiResponse>;
  readonly limited: 'strangers' | 'all' | 'none';
}

/** The probes that PROBE_PORT moves away; `/health` stays, as it says that this server is alive. */
const movedProbes = new Set(['/ready', '/metrics']);

const pagesOf = (config: Config, probes: Probes, endpoints: readonly Endpoint[]): Map<string, HostPage> => {
  const pages = new Map<string, HostPage>();
  for (const [path, serve] of probes) {
    if (!movedProbes.has(path)) pages.set(path, { serve, limited: 'none' });
    else if (config.probePort === null) pages.set(path, { serve, limited: 'strangers' });
  }
  for (const [path, serve] of documentPages(endpoints)) pages.set(path, { serve, limited: 'all' });
  return pages;
};

interface HostPagesOptions {
  readonly config: Config;
  readonly limiter: RateLimiter;
  readonly probes: Probes;
  readonly endpoints: readonly Endpoint[];
}

/**
 * Serves the paths of the host; passes on all others. Throws `405 method_not_allowed` for changes of them, `429
 * rate_limited` for too many requests of an address.
 */
export const hostPages = ({ config, limiter, probes, endpoints }: HostPagesOptions): Middleware<RequestState> => {
  const pages = pagesOf(config, probes, endpoints);
  const count = async ({ req, state }: Parameters<Middleware<RequestState>>[0], { limited }: HostPage) => {
    if (limited === 'none') return;
    const address = clientAddress(req, config.trustProxy);
    if (limited === 'strangers' && address !== null && config.probeNetworks(address, 0)) return;
    await limiter.countAddress(address, state.headers);
  };
  const answer = async (ctx: Parameters<Middleware<RequestState>>[0], page: HostPage): Promise<void> => {
    await count(ctx, page);
    ctx.state.response = await page.serve();
    ctx.state.route = ctx.state.path;
  };
  return (ctx, next) => {
    const page = pages.get(ctx.state.path);
    if (page === undefined) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw fault('method_not_allowed', undefined, { headers: { allow: 'GET, HEAD' } });
    return answer(ctx, page);
  };
};
