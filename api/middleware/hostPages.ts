/** The pages of the host outside `/api`: the probes, and the documents for writing clients. A step of api/app.ts. */
import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { fault } from '../../shared/catalogue/errors.ts';
import { manifestSchema } from '../../shared/environments/manifest.ts';
import type { Config } from '../../shared/platform/core/config.ts';
import type { Probes } from '../../shared/platform/health/probes.ts';
import { buildAsyncApiDocument } from '../asyncapi.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { clientAddress } from '../http/clientAddress.ts';
import { immutableHeaders, packedResponse } from '../http/packedFile.ts';
import { protectedResourcePage } from '../http/protectedResource.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import { llmsPages } from '../llmsPages.ts';
import { buildOpenApiDocument } from '../openapi.ts';
import { referencePage, referencePolicy, referenceScript, scriptPath } from '../referencePage.ts';
import type { RequestState } from './state.ts';

interface Serve {
  (request: IncomingMessage): ApiResponse | Promise<ApiResponse>;
}

const textPage =
  (type: string, text: string, headers: Readonly<Record<string, string>> = {}): Serve =>
  () => ({
    status: 200,
    body: text,
    headers: { 'content-type': `${type}; charset=utf-8`, ...headers },
  });

/** Serves a document that is made when it is first asked for, as making it takes as long as much of a start. */
const documentPage = (make: () => object): Serve => {
  let body: string | null = null;
  return () => ({ status: 200, body: (body ??= JSON.stringify(make())) });
};

const documentPages = (endpoints: readonly Endpoint[], publicUrl: string): [string, Serve][] => [
  ['/openapi.json', documentPage(() => buildOpenApiDocument(endpoints, publicUrl))],
  ['/asyncapi.json', documentPage(() => buildAsyncApiDocument(publicUrl))],
  [
    '/manifest.schema.json',
    documentPage(() => ({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Manifest',
      ...manifestSchema,
    })),
  ],
  ...[...llmsPages(publicUrl)].map(([path, text]): [string, Serve] => [
    path,
    textPage(path.endsWith('.md') ? 'text/markdown' : 'text/plain', text),
  ]),
  ['/docs', textPage('text/html', referencePage, { 'content-security-policy': referencePolicy })],
  [scriptPath, async (request) => packedResponse(request, await referenceScript(), immutableHeaders)],
];

/** A page, and who is limited in asking for it: everybody but the networks of PROBE_NETWORKS, everybody, or nobody. */
interface HostPage {
  readonly serve: Serve;
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
  for (const [path, serve] of documentPages(endpoints, config.publicUrl)) pages.set(path, { serve, limited: 'all' });
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
    const route = pages.has(ctx.state.path) ? ctx.state.path : '/.well-known/oauth-protected-resource';
    ctx.state.pattern = route;
    await count(ctx, page);
    ctx.state.response = await page.serve(ctx.req);
    ctx.state.route = route;
  };
  const metadataPage = (path: string): HostPage | undefined => {
    const response = protectedResourcePage(config, path);
    return response === undefined ? undefined : { serve: () => response, limited: 'all' };
  };
  return (ctx, next) => {
    const page = pages.get(ctx.state.path) ?? metadataPage(ctx.state.path);
    if (page === undefined) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw fault('method_not_allowed', undefined, { headers: { allow: 'GET, HEAD' } });
    return answer(ctx, page);
  };
};
