/** The session and the caller of a request or an upgrade. */
import type { IncomingMessage } from 'node:http';
import { type Caller, principalIn, includesEnvironment } from '../../shared/accounts/access/principal.ts';
import { parseTokenKind } from '../../shared/accounts/access/tokens.ts';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import type { Environment } from '../../shared/app/manifest/definition.ts';
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

/** Reloads the directory where it lacks the environment `name`: one that has moved here may be newer. */
export const learnEnvironment = ({ directory }: Deps, name: string): Promise<void> | undefined =>
  directory.environment(name) === undefined ? directory.refresh() : undefined;

/** Throws `503 unavailable` for an environment that is closed. */
export const requireOpen = (env: Environment | undefined): void => {
  if (env?.closed === true)
    throw fault('unavailable', 'The environment is closed, as while it moves to another place.');
};

/** Returns the caller in the environment `name`. Throws `404 not_found` for one that is unknown or not the principal's, `503` for a closed one. */
export const resolveCaller = (
  { directory }: Deps,
  { principal }: AuthSession,
  name: string,
  requestId: string | null,
  address: string | null,
): Caller => {
  const env = directory.environment(name);
  if (env === undefined || !includesEnvironment(principal.environments, env.name)) throw fault('not_found');
  requireOpen(env);
  return { env, principal: principalIn(env, principal), requestId, address };
};
