/** Who calls, in which environment: 401 comes before every 404, and an environment without access is unknown. */
import type { IncomingMessage } from 'node:http';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Session } from '../../shared/settings/directory.ts';
import { inEnvironment, type Caller } from '../../shared/access/principal.ts';
import type { Deps } from '../../shared/deps.ts';
import { tokenKind } from '../../shared/access/tokens.ts';
import { cookieToken, isSameOrigin } from './cookies.ts';
import { headerValues } from './headers.ts';

const bearer = /^Bearer +(\S+)$/i;

/** The one token of the authorization header, or null. Two of them are refused, where Node's `headers` shows the first. */
export const bearerToken = (req: IncomingMessage): string | null => {
  const given = headerValues(req, 'authorization');
  return given.length === 1 ? (bearer.exec(given[0] ?? '')?.[1] ?? null) : null;
};

export const addressOf = (req: IncomingMessage, trustProxy: boolean): string => {
  const forwarded = trustProxy ? req.headers['x-forwarded-for'] : undefined;
  const first = (Array.isArray(forwarded) ? forwarded[0] : forwarded)?.slice(0, 1000).split(',', 1)[0]?.trim();
  return first === undefined || first === '' || first.length > 100 ? (req.socket.remoteAddress ?? '') : first;
};

const unchanging = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The session of a person's cookie. Throws `401 unauthorized`, for other tokens too; `403 forbidden` where a page of
 * somebody else may have sent it: for what changes something, and wherever `always` (sockets, which no rule of browsers keeps to their site).
 */
export const cookieSession = async ({ directory, config }: Deps, req: IncomingMessage, always = false): Promise<Session> => {
  const token = cookieToken(req);
  const session = token === null || tokenKind(token) !== 'person' ? null : await directory.session(token);
  if (session === null) throw fault('unauthorized');
  if ((always || !unchanging.has(req.method ?? '')) && !isSameOrigin(req, config)) throw fault('forbidden', 'The request comes from another site.');
  return session;
};

/** The session of the request's token, else of its cookie. Throws `401 unauthorized`. */
export const authenticate = async (deps: Deps, req: IncomingMessage): Promise<Session> => {
  if (req.headers.authorization === undefined && req.headers.cookie !== undefined) return cookieSession(deps, req);
  const token = bearerToken(req);
  const session = token === null ? null : await deps.directory.session(token);
  if (session === null) throw fault('unauthorized');
  return session;
};

/** The caller in the environment named. Throws `404 not_found` for one that is unknown or not the principal's. */
export const callerIn = ({ directory }: Deps, { principal }: Session, name: string, requestId: string, address: string): Caller => {
  const env = directory.environment(name);
  if (env === undefined || !inEnvironment(principal.environments, env.name)) throw fault('not_found');
  return { env, principal, requestId, address };
};
