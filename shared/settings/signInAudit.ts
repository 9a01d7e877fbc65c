/** The audit entries of sign-ins, done and refused. For signIn.ts and openId/signInByProvider.ts. */
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import { actorParameters, actorValues, eventInsert } from '../platform/journal/events.ts';
import type { Account } from './accounts.ts';
import type { Directory } from './directory.ts';

/** Inserts the audit entry in the environment of the path or, when that doesn't exist, in those of the person. */
const insertSignInAuditSql = statement(
  'signIn.audit',
  eventInsert(
    {
      env: 'e.id',
      at: '$3::bigint',
      verb: "'person.signIn'",
      target_type: "'person'",
      target: '$4',
      outcome: '$5',
      after: '$6::jsonb',
      ...actorParameters(7),
    },
    {
      from: 'environments e',
      where: "case when $1::int is null then '*' = any($2::text[]) or e.name = any($2::text[]) else e.id = $1::int end",
    },
  ),
);

export interface SignInAttemptPlace {
  /** The environment of the path, which may not exist. */
  readonly environment: string;
  readonly requestId: string;
  readonly address: string | null;
}

interface SignInAuditEntry {
  readonly at: number;
  /** The person of the account, as far as it is one. */
  readonly found: Pick<Account, 'id' | 'environments'> | undefined;
  /** The person, or a digest of the typed address. */
  readonly actor: { readonly id: string | null; readonly name: string; readonly role: string | null };
  /** Why it was refused; null: it was not. */
  readonly refusal: object | null;
}

/** Inserts the audit entry of a sign-in, successful or refused. */
export const insertSignInAudit = async (
  tx: Tx | Db,
  directory: Pick<Directory, 'environment'>,
  { environment, requestId, address }: SignInAttemptPlace,
  { at, found, actor, refusal }: SignInAuditEntry,
): Promise<void> => {
  await executeStatement(tx, insertSignInAuditSql, [
    directory.environment(environment)?.id ?? null,
    found?.environments ?? [],
    at,
    found?.id ?? null,
    refusal === null ? 'ok' : 'denied',
    refusal === null ? null : JSON.stringify(refusal),
    ...actorValues({ type: 'person', ...actor, requestId, address }),
  ]);
};
