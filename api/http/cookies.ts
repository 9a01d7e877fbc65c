/** The cookies of people in browsers, of their session and of the browser itself: setting, reading, and the check that a page of this host sent them. */
import type { IncomingMessage } from 'node:http';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Config } from '../../shared/platform/core/config.ts';
import { flowMs } from '../../shared/settings/openId/flow.ts';
import { callbackPath } from '../../shared/settings/openId/provider.ts';
import { isForwardedSecure } from './clientAddress.ts';
import { headerValues } from './headers.ts';

export const sessionCookie = 'console_session';
const browserCookie = 'console_browser';
const flowCookie = 'console_sign_in';

/** The path of what concerns an environment. */
const environments = '/api/env';

type CookieConfig = Pick<Config, 'publicUrl' | 'trustProxy'>;
type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/** Returns whether the client uses TLS, by `publicUrl` or by the header of a trusted proxy. */
const isSecure = (req: Request, { publicUrl, trustProxy }: CookieConfig): boolean =>
  publicUrl.startsWith('https:') || isForwardedSecure(req, trustProxy);

interface CookieValue {
  readonly value: string;
  readonly maxAgeMs: number;
  /** Below the public address. */
  readonly path: string;
}

const cookieHeader = (req: IncomingMessage, where: CookieConfig, { value, maxAgeMs, path }: CookieValue): string => {
  const base = new URL(where.publicUrl).pathname.replace(/\/$/, '');
  return `${value}; Path=${base}${path}; Max-Age=${String(maxAgeMs / 1000)}; HttpOnly; SameSite=Lax${isSecure(req, where) ? '; Secure' : ''}`;
};

/** Returns a `set-cookie` for every environment of this host; `token` null clears the cookie. */
export const sessionCookieHeader = (req: IncomingMessage, where: CookieConfig, token: string | null): string =>
  cookieHeader(req, where, {
    value: `${sessionCookie}=${token ?? ''}`,
    maxAgeMs: token === null ? 0 : limits.sessionMs,
    path: environments,
  });

/** Returns a `set-cookie` by which the browser is known at the next sign-in; it is no credential. */
export const browserCookieHeader = (req: IncomingMessage, where: CookieConfig, token: string): string =>
  cookieHeader(req, where, { value: `${browserCookie}=${token}`, maxAgeMs: limits.knownBrowserMs, path: environments });

/** Returns a `set-cookie` that binds a sign-in by the provider to the browser; `flow` null clears it. */
export const flowCookieHeader = (req: IncomingMessage, where: CookieConfig, flow: string | null): string =>
  cookieHeader(req, where, {
    value: `${flowCookie}=${flow ?? ''}`,
    maxAgeMs: flow === null ? 0 : flowMs,
    path: callbackPath,
  });

/** Returns the value of a cookie, or null; also null for two cookies, as another host of the domain may have set one. */
const readCookie = (req: Pick<IncomingMessage, 'headers' | 'rawHeaders'>, name: string): string | null => {
  const tokens = headerValues(req, 'cookie')
    .flatMap((header) => header.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return tokens.length === 1 ? (tokens[0] ?? null) : null;
};

/** Returns the token of the request's session cookie, or null. */
export const readCookieToken = (req: IncomingMessage): string | null => readCookie(req, sessionCookie);

/** Returns the token by which the request's browser is known, or null. */
export const readBrowserCookie = (req: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): string | null =>
  readCookie(req, browserCookie);

/** Returns the cookie of a sign-in by the provider that is under way, or null. */
export const readFlowCookie = (req: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): string | null =>
  readCookie(req, flowCookie);

/** Returns whether a page of this host sent the request; false without an `origin`, with which no page can be known. */
export const isSameOrigin = (req: Request, where: CookieConfig): boolean => {
  const { origin, host } = req.headers;
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  const from = new URL(origin).origin;
  const own = `${isSecure(req, where) ? 'https' : 'http'}://${host}`;
  return from === new URL(where.publicUrl).origin || (URL.canParse(own) && from === new URL(own).origin);
};
