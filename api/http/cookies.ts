/** The cookies of people in browsers, of their session and of the browser itself: setting, reading, and the check that a page of this host sent them. */
import type { IncomingMessage } from 'node:http';
import { flowMs } from '../../shared/accounts/openId/flow.ts';
import { callbackPath } from '../../shared/accounts/openId/provider.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Config } from '../../shared/platform/config/config.ts';
import { isForwardedSecure, headerValues } from './requestHeaders.ts';

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

/** The machine itself: names and addresses that a page of another site cannot have, whatever its name resolves to. */
const loopbackHost = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns whether a page of this service sent the request: one of the host of PUBLIC_URL, or one of this machine that names
 * the same host as the request. Another host that both name may be a stranger's name for this address (DNS rebinding).
 */
const isOwnPage = (req: Request, where: CookieConfig): boolean => {
  const { origin, host } = req.headers;
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  const own = new URL(where.publicUrl);
  if (page.origin === own.origin) return true;
  const asked = `${isSecure(req, where) ? 'https' : 'http'}://${host}`;
  if (!URL.canParse(asked) || page.origin !== new URL(asked).origin) return false;
  return page.hostname === own.hostname || loopbackHost.test(page.hostname);
};

/** Throws `403 forbidden` unless a page of this service sent the request; also without an `origin`, by which a page is known. */
export const requireOwnPage = (req: Request, where: CookieConfig): void => {
  if (!isOwnPage(req, where))
    throw fault('forbidden', `The request comes from another site than ${new URL(where.publicUrl).origin}.`);
};
