/** Whose request an upgrade is: a bearer token in the header or (browsers) among the subprotocols, or a ticket. */
import type { IncomingMessage } from 'node:http';
import type { Session } from '../../shared/agents/directory.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import type { Environment } from '../../shared/environments/definition.ts';
import { bearerToken } from '../middleware/authenticate.ts';
import { useTicket } from './tickets.ts';

export const protocol = 'console.v1';
const bearerProtocol = 'bearer.';

const tokensOf = (request: IncomingMessage): (string | null)[] => {
  const { authorization } = request.headers;
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return [
    ...(authorization === undefined ? [] : [bearerToken(request)]),
    ...offered.filter((name) => name.startsWith(bearerProtocol)).map((name) => name.slice(bearerProtocol.length)),
  ];
};

const ticketsOf = (search: string): string[] =>
  search.split('&').filter((pair) => pair.startsWith('ticket=')).map((pair) => pair.slice('ticket='.length));

const isForeign = (request: IncomingMessage, publicUrl: string): boolean => {
  const { origin, host } = request.headers;
  if (origin === undefined) return false;
  if (!URL.canParse(origin)) return true;
  const from = new URL(origin);
  return from.host !== host && from.origin !== new URL(publicUrl).origin;
};

/**
 * The session that the request shows exactly one credential of. Throws 401; 403 for a request that has only a cookie and
 * comes from somebody else's page. `env` undefined: there is no such environment, so tickets hold for nothing.
 */
export const authenticate = async (deps: Deps, request: IncomingMessage, env: Environment | undefined, search: string): Promise<Session> => {
  const tokens = tokensOf(request);
  const tickets = ticketsOf(search);
  const [token = null] = tokens;
  const [ticket] = tickets;
  if (tokens.length === 0 && ticket === undefined && request.headers.cookie !== undefined && isForeign(request, deps.config.publicUrl)) {
    throw fault('forbidden', 'The request comes from another site.');
  }
  if (tokens.length + tickets.length !== 1) throw fault('unauthorized');
  const byTicket = ticket === undefined || env === undefined ? null : useTicket(deps, env, ticket);
  const session = await (token === null ? byTicket : deps.directory.session(token));
  if (session === null) throw fault('unauthorized');
  return session;
};
