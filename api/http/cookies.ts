/** The session cookie of people in browsers: setting it, reading it, and the check that a page of this host sent it. */
import type { IncomingMessage } from 'node:http';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Config } from '../../shared/platform/core/config.ts';
import { isForwardedSecure } from './clientAddress.ts';
import { headerValues } from './headers.ts';

export const sessionCookie = 'console_session';

type CookieConfig = Pick<Config, 'publicUrl' | 'trustProxy'>;
type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/** Returns whether the client uses TLS, by `publicUrl` or by the header of a trusted proxy. */
const isSecure = (req: Request, { publicUrl, trustProxy }: CookieConfig): boolean =>
  publicUrl.startsWith('https:') || isForwardedSecure(req, trustProxy);

/** Returns a `set-cookie` for every environment of this host; `token` null clears the cookie. */
export const sessionCookieHeader = (req: IncomingMessage, where: CookieConfig, token: string | null): string => {
  const path = `${new URL(where.publicUrl).pathname.replace(/\/$/, '')}/api/env`;
  const maxAge = token === null ? 0 : limits.sessionMs / 1000;
  return `${sessionCookie}=${token ?? ''}; Path=${path}; Max-Age=${String(maxAge)}; HttpOnly; SameSite=Lax${isSecure(req, where) ? '; Secure' : ''}`;
};

/** Returns the token of the request's session cookie, or null; also null for two cookies, as another host of the domain may have set one. */
export const readCookieToken = (req: IncomingMessage): string | null => {
  const tokens = headerValues(req, 'cookie')
    .flatMap((header) => header.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${sessionCookie}=`))
    .map((pair) => pair.slice(sessionCookie.length + 1));
  return tokens.length === 1 ? (tokens[0] ?? null) : null;
};

/** Returns whether a page of this host sent the request; false without an `origin`, with which no page can be known. */
export const isSameOrigin = (req: Request, where: CookieConfig): boolean => {
  const { origin, host } = req.headers;
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false;
  const from = new URL(origin).origin;
  const own = `${isSecure(req, where) ? 'https' : 'http'}://${host}`;
  return from === new URL(where.publicUrl).origin || (URL.canParse(own) && from === new URL(own).origin);
};
