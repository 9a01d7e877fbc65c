/** The cookies of people in browsers, of their session and of the browser itself: setting, reading, and the check that a page of this host sent them. */
import type { IncomingMessage } from 'node:http';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Config } from '../../shared/platform/core/config.ts';
import { isForwardedSecure } from './clientAddress.ts';
import { headerValues } from './headers.ts';

export const sessionCookie = 'console_session';
const browserCookie = 'console_browser';

type CookieConfig = Pick<Config, 'publicUrl' | 'trustProxy'>;
type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/** Returns whether the client uses TLS, by `publicUrl` or by the header of a trusted proxy. */
const isSecure = (req: Request, { publicUrl, trustProxy }: CookieConfig): boolean =>
  publicUrl.startsWith('https:') || isForwardedSecure(req, trustProxy);

const cookieHeader = (req: IncomingMessage, where: CookieConfig, value: string, maxAgeMs: number): string => {
  const path = `${new URL(where.publicUrl).pathname.replace(/\/$/, '')}/api/env`;
  return `${value}; Path=${path}; Max-Age=${String(maxAgeMs / 1000)}; HttpOnly; SameSite=Lax${isSecure(req, where) ? '; Secure' : ''}`;
};

/** Returns a `set-cookie` for every environment of this host; `token` null clears the cookie. */
export const sessionCookieHeader = (req: IncomingMessage, where: CookieConfig, token: string | null): string =>
  cookieHeader(req, where, `${sessionCookie}=${token ?? ''}`, token === null ? 0 : limits.sessionMs);

/** Returns a `set-cookie` by which the browser is known at the next sign-in; it is no credential. */
export const browserCookieHeader = (req: IncomingMessage, where: CookieConfig, token: string): string =>
  cookieHeader(req, where, `${browserCookie}=${token}`, limits.knownBrowserMs);

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

/** Returns whether a page of this host sent the request; false without an `origin`, with which no page can be known. */
export const isSameOrigin = (req: Request, where: CookieConfig): boolean => {
  const { origin, host } = req.headers;
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  const from = new URL(origin).origin;
  const own = `${isSecure(req, where) ? 'https' : 'http'}://${host}`;
  return from === new URL(where.publicUrl).origin || (URL.canParse(own) && from === new URL(own).origin);
};
