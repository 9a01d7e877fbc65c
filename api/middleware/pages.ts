/** Serves the pages of the host and the console, and takes browsers back that come from a sign-in by the provider. Steps of api/app.ts. */
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Middleware } from 'koa';
import { openFlow } from '../../shared/accounts/openId/flow.ts';
import { SignInRefusal } from '../../shared/accounts/openId/problems.ts';
import { callbackPath, type OpenId } from '../../shared/accounts/openId/provider.ts';
import { endSignIn } from '../../shared/accounts/openId/signInByProvider.ts';
import { countRefusedSignIn } from '../../shared/accounts/signInThrottle.ts';
import { manifestSchema } from '../../shared/app/manifest/manifest.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import type { Config } from '../../shared/platform/config/config.ts';
import type { Probes } from '../../shared/platform/health/probes.ts';
import { buildAsyncApiDocument } from '../asyncapi.ts';
import { readConsoleFiles } from '../consoleFiles.ts';
import type { Endpoint } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { readFlowCookie } from '../http/cookies.ts';
import { immutableHeaders, packedResponse, toPackedFile, type PackedFile } from '../http/packedFile.ts';
import { protectedResourcePage } from '../http/protectedResource.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import { clientAddress } from '../http/requestHeaders.ts';
import { homeOf, pageAddress } from '../http/returnTo.ts';
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

/** Beside the folder of the API in a build, and in a folder of its own beside it in a checkout. */
const sdkFiles = ['../../console-api-sdk.tgz', '../../.sdk/console-api-sdk.tgz'];

/** Serves the SDK's package as it was built with this service. Throws `not_found` where nothing was built. */
const sdkPage = (): Serve => {
  let file: PackedFile | undefined;
  const read = (): PackedFile => {
    const url = sdkFiles.map((path) => new URL(path, import.meta.url)).find(existsSync);
    if (url === undefined) throw fault('not_found');
    return toPackedFile('application/gzip', readFileSync(url), { br: null, gzip: null });
  };
  // The address stays the same while the content changes with the service, so that caches have to ask.
  return (request) => packedResponse(request, (file ??= read()), { 'cache-control': 'no-cache' });
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
  ['/sdk.tgz', sdkPage()],
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
    const { path } = ctx.state;
    const page = pages.get(path) ?? (path.startsWith('/.well-known/') ? metadataPage(path) : undefined);
    if (page === undefined) return next();
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD')
      throw fault('method_not_allowed', undefined, { headers: { allow: 'GET, HEAD' } });
    return answer(ctx, page);
  };
};

/** The page loads nothing from elsewhere, runs no text as script, and is framed by nobody. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': pagePolicy,
  'cross-origin-opener-policy': 'same-origin',
  vary: 'accept',
};

const assetPath = /^\/assets\/([^/]+)$/;
const isPagePath = (path: string): boolean => path === '/' || path === '/env' || path.startsWith('/env/');

/** Serves the console to browsers; passes on all other requests, and all of them where it is not built. */
export const consolePages = ({
  publicUrl,
  standbys,
}: Pick<Config, 'publicUrl' | 'standbys'>): Middleware<RequestState> => {
  const files = readConsoleFiles({
    base: new URL(publicUrl).pathname.replace(/\/$/, ''),
    readLagMs: standbys?.lagMs ?? 0,
  });
  if (files === null) return (_ctx, next) => next();
  return (ctx, next) => {
    const { path } = ctx.state;
    if (path.startsWith('/api/') || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const asset = files.assets.get(assetPath.exec(path)?.[1] ?? '');
    if (asset !== undefined) {
      ctx.state.response = packedResponse(ctx.req, asset, immutableHeaders);
      ctx.state.route = '/assets';
      return Promise.resolve();
    }
    if (!isPagePath(path) || ctx.req.headers.accept?.includes('text/html') !== true) return next();
    ctx.state.response = packedResponse(ctx.req, files.page, pageHeaders);
    ctx.state.route = '/';
    return Promise.resolve();
  };
};

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
    const page = ended.environment === null ? flow.returnTo : homeOf(publicUrl, ended.environment);
    return redirect(pageAddress(publicUrl, page, null), { flowCookie: null, ...cookie });
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
