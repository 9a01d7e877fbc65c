/** The audit entries of sign-ins, done and refused. For signIn.ts and openId/signInByProvider.ts. */
import type { Db, Tx } from '../platform/db/knex.ts';
import { actorValues, change, event, writeChange } from '../platform/journal/changeWriter.ts';
import type { Account } from './accounts.ts';
import type { Directory } from './directory.ts';

/** Inserts the audit entry in the environment of the path or, when that doesn't exist, in those of the person. */
const signInChange = change('signIn.audit', {
  happened: event(
    {
      env: 'e.id',
      verb: "'person.signIn'",
      target_type: "'person'",
      target: '$person',
      outcome: '$outcome',
      after: '$refusal::jsonb',
    },
    {
      from: 'environments e',
      where:
        "case when $env::int is null then '*' = any($environments::text[]) or e.name = any($environments::text[]) else e.id = $env::int end",
    },
  ),
});

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
  await writeChange(tx, signInChange, {
    env: directory.environment(environment)?.id,
    environments: found?.environments ?? [],
    at,
    person: found?.id,
    outcome: refusal === null ? 'ok' : 'denied',
    refusal,
    ...actorValues({ type: 'person', ...actor, requestId, address }),
  });
};
