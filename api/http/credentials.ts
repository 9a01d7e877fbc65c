/** The session and the caller of a request or an upgrade. */
import type { IncomingMessage } from 'node:http';
import { type Caller, principalIn, includesEnvironment } from '../../shared/accounts/access/principal.ts';
import { parseTokenKind } from '../../shared/accounts/access/tokens.ts';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { readCookieToken, requireOwnPage } from './cookies.ts';
import { headerValues } from './requestHeaders.ts';

const bearer = /^Bearer +(\S+)$/i;

/** Returns the token of the authorization header, or null; also null for two headers, of which Node's `headers` has the first. */
export const bearerToken = (req: IncomingMessage): string | null => {
  const given = headerValues(req, 'authorization');
  return given.length === 1 ? (bearer.exec(given[0] ?? '')?.[1] ?? null) : null;
};

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns the session of a person's cookie. Throws `401 unauthorized`, also for tokens of agents and apps. Throws
 * `403 forbidden` where a page of another site may have sent the cookie: for changes, and for everything where `always`
 * (sockets, which browsers do not restrict to their own site).
 */
export const authenticateCookie = async (
  { directory, config }: Deps,
  req: IncomingMessage,
  always = false,
): Promise<AuthSession> => {
  const token = readCookieToken(req);
  const session = token === null || parseTokenKind(token) !== 'person' ? null : await directory.sessionByToken(token);
  if (session === null) throw fault('unauthorized');
  if (always || !safeMethods.has(req.method ?? '')) requireOwnPage(req, config);
  return session;
};

/** Returns the session of the request's token, else of its cookie. Throws `401 unauthorized`. */
export const authenticateRequest = async (deps: Deps, req: IncomingMessage): Promise<AuthSession> => {
  if (req.headers.authorization === undefined && req.headers.cookie !== undefined) return authenticateCookie(deps, req);
  const token = bearerToken(req);
  const session = token === null ? null : await deps.directory.sessionByToken(token);
  if (session === null) throw fault('unauthorized');
  return session;
};

/** Returns the caller in the environment `name`. Throws `404 not_found` for one that is unknown or not the principal's. */
export const resolveCaller = (
  { directory }: Deps,
  { principal }: AuthSession,
  name: string,
  requestId: string | null,
  address: string | null,
): Caller => {
  const env = directory.environment(name);
  if (env === undefined || !includesEnvironment(principal.environments, env.name)) throw fault('not_found');
  return { env, principal: principalIn(env, principal), requestId, address };
};
