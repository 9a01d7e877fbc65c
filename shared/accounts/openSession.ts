/** Opens, renews and finds the sessions of people, however they signed in. For signIn.ts and openId/signInByProvider.ts. */
import { limits } from '../catalogue/limits.ts';
import type { Config } from '../platform/config/config.ts';
import type { Tx } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import { includesEnvironment } from './access/principal.ts';
import { newToken, tokenHash } from './access/tokens.ts';
import type { Directory } from './directory.ts';
import { idleSince } from './ownSessions.ts';

const insertSessionSql = statement(
  'signIn.open',
  `
  insert into tokens (hash, kind, principal, expires_at, fresh_until, created_at, last_used_at, address)
  values ($1, 'person', $2, $3, $4, $5, $5, $6)`,
);
const dropExpired = statement(
  'signIn.dropExpired',
  'delete from tokens where principal = $1 and (expires_at <= $2 or coalesce(last_used_at, created_at) <= $3)',
);
const refreshSessionSql = statement('signIn.renew', 'update tokens set fresh_until = $2 where hash = $1');

interface NewSession {
  readonly person: string;
  readonly at: number;
  /** null: it is not fresh. */
  readonly freshUntil: number | null;
  readonly address: string | null;
}

/** Inserts a session in place of those of the person that have ended, and returns its token. */
export const openSession = async (
  tx: Tx,
  config: Pick<Config, 'sessionIdleMs'>,
  { person, at, freshUntil, address }: NewSession,
): Promise<{ readonly token: string; readonly expiresAt: number }> => {
  const token = newToken('person');
  const expiresAt = at + limits.sessionMs;
  await executeStatement(tx, dropExpired, [person, at, idleSince(config, at)]);
  await executeStatement(tx, insertSessionSql, [tokenHash(token), person, expiresAt, freshUntil, at, address]);
  return { token, expiresAt };
};

/** Sets until when a session is fresh and returns how many there were: 0 or 1. */
export const renewSession = (tx: Tx, hash: Buffer, until: number): Promise<number> =>
  executeStatement(tx, refreshSessionSql, [hash, until]);

/** In a path: no environment in particular. */
export const everyEnvironment = '*';

/** Returns the names of the environments that exist and that somebody has access to. */
export const environmentsOf = (
  { directory }: { readonly directory: Pick<Directory, 'environments'> },
  reach: readonly string[],
): string[] =>
  directory
    .environments()
    .map(({ name }) => name)
    .filter((name) => includesEnvironment(reach, name));
