/** The console: its page at `/` and `/env/…` for whoever asks for HTML, and what the page loads. A step of api/app.ts. */
import type { Middleware } from 'koa';
import type { Config } from '../../shared/platform/core/config.ts';
import { readConsoleFiles } from '../consoleFiles.ts';
import { immutableHeaders, packedResponse } from '../http/packedFile.ts';
import type { RequestState } from './state.ts';

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
