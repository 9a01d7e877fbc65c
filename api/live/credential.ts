/** Whose request an upgrade is: a bearer token in the header or (browsers) among the subprotocols, a ticket, or a person's cookie. */
import type { IncomingMessage } from 'node:http';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import type { Environment } from '../../shared/environments/definition.ts';
import type { AuthSession } from '../../shared/settings/sessionCache.ts';
import { isSameOrigin } from '../http/cookies.ts';
import { authenticateCookie, bearerToken } from '../http/credentials.ts';
import { redeemTicket } from './tickets.ts';

export const liveSubprotocol = 'console.v1';
const bearerProtocol = 'bearer.';

const requestTokens = (request: IncomingMessage): (string | null)[] => {
  const { authorization } = request.headers;
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return [
    ...(authorization === undefined ? [] : [bearerToken(request)]),
    ...offered.filter((name) => name.startsWith(bearerProtocol)).map((name) => name.slice(bearerProtocol.length)),
  ];
};

const requestTickets = (search: string): string[] =>
  search
    .split('&')
    .filter((pair) => pair.startsWith('ticket='))
    .map((pair) => pair.slice('ticket='.length));

/**
 * Returns the session of the one credential of the request; a cookie counts when there is nothing else. Throws 401;
 * 403 for a cookie that a page of another site sent. `env` undefined: there is no such environment, so no ticket is valid.
 */
export const authenticateUpgrade = async (
  deps: Deps,
  request: IncomingMessage,
  env: Environment | undefined,
  search: string,
): Promise<AuthSession> => {
  const tokens = requestTokens(request);
  const tickets = requestTickets(search);
  const [token = null] = tokens;
  const [ticket] = tickets;
  if (tokens.length + tickets.length === 0 && request.headers.cookie !== undefined) {
    if (request.headers.origin !== undefined && !isSameOrigin(request, deps.config))
      throw fault('forbidden', 'The request comes from another site.');
    return authenticateCookie(deps, request, true);
  }
  if (tokens.length + tickets.length !== 1) throw fault('unauthorized');
  const byTicket = ticket === undefined || env === undefined ? null : redeemTicket(deps, env, ticket);
  const session = await (token === null ? byTicket : deps.directory.sessionByToken(token));
  if (session === null) throw fault('unauthorized');
  return session;
};
