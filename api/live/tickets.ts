/** Single-use tickets (rows, so that every process honours them once): how a browser opens the stream without a token in its address. */
import { createHash, randomBytes } from 'node:crypto';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import type { Environment } from '../../shared/app/manifest/definition.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Deps } from '../../shared/deps.ts';
import { executeStatement, queryRow, statement } from '../../shared/platform/db/sql.ts';

const insertTicket = statement(
  'live.issueTicket',
  'insert into tickets (hash, env, token, expires_at) values ($1, $2, $3, $4)',
);
const takeTicket = statement(
  'live.takeTicket',
  `
  delete from tickets where hash = $1 and env = $2 and expires_at > $3 returning token`,
);

const form = /^[A-Za-z0-9_-]{43}$/;
const ticketHash = (ticket: string): Buffer => createHash('sha256').update(ticket).digest();

export interface Ticket {
  readonly ticket: string;
  readonly expiresAt: number;
}

/** Returns a ticket that opens one stream of `env` for `session` within 30 s. */
export const issueTicket = async (
  { db, clock }: Deps,
  env: Environment,
  { credential }: Pick<AuthSession, 'credential'>,
): Promise<Ticket> => {
  const ticket = randomBytes(32).toString('base64url');
  const expiresAt = clock.now() + limits.ticketMs;
  await executeStatement(db, insertTicket, [ticketHash(ticket), env.id, Buffer.from(credential, 'base64'), expiresAt]);
  return { ticket, expiresAt };
};

/** Returns the session that the ticket was issued for, and the end of the ticket; null when it is invalid or expired. */
export const redeemTicket = async (
  { db, clock, directory }: Deps,
  env: Environment,
  ticket: string,
): Promise<AuthSession | null> => {
  if (!form.test(ticket)) return null;
  const taken = await queryRow<{ token: Buffer }>(db, takeTicket, [ticketHash(ticket), env.id, clock.now()]);
  return taken === undefined ? null : directory.sessionByCredential(taken.token.toString('base64'));
};
