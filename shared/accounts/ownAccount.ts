/** What people change of their own account: name, password and preferences. For api/routes/me.ts. */
import { fault, invalidAt } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import type { Caller } from './access/principal.ts';
import { lockAccount, readAccount, verifyAttempt, type Account } from './accounts.ts';
import type { DomainDeps } from './deps.ts';
import { endOtherSessions } from './ownSessions.ts';
import { hashPassword, knownTurn, requireUncommon } from './passwords.ts';
import type { OwnAccountPatch } from './schema.ts';
import { recordAdminChange, toAdministrator, voidLinks } from './settings/adminChange.ts';
import { type CountedAttempt, newBrowserToken, clearSignInFailures } from './signInThrottle.ts';

type Preferences = Readonly<Record<string, unknown>>;

/** The part of an account that only its person changes. */
export interface OwnAccount {
  readonly name: string;
  readonly preferences: Preferences;
}

const readPreferencesSql = statement('ownAccount.preferences', 'select preferences from people where id = $1');
const lockSql = statement(
  'ownAccount.lock',
  'select name, preferences from people where id = $1 and removed_at is null for no key update',
);
const updateSql = statement(
  'ownAccount.update',
  'update people set name = $2, preferences = $3::jsonb, password_hash = coalesce($4, password_hash) where id = $1',
);

/** Returns the preferences of a person; of other principals none. */
export const readPreferences = async (db: Db, { type, id }: Caller['principal']): Promise<Preferences> =>
  type === 'person'
    ? ((await queryRow<{ preferences: Preferences }>(db, readPreferencesSql, [id]))?.preferences ?? {})
    : {};

/** A change of the password whose present one was right. */
interface NewPassword {
  readonly account: Account;
  readonly counted: CountedAttempt;
  readonly hash: string;
}

interface OwnAccountCall {
  readonly caller: Caller;
  /** Of the session that makes the change, which stays. */
  readonly credential: string;
  readonly patch: OwnAccountPatch;
}

/** Returns the new hash. Throws `forbidden` for a wrong present password, `invalid` for a new one that is the same. */
export const prepareNewPassword = async (
  { db, clock }: Pick<DomainDeps, 'db' | 'clock'>,
  { caller: { principal, address }, credential, patch: { password } }: OwnAccountCall,
): Promise<NewPassword | null> => {
  if (password === undefined) return null;
  const { current, next } = password;
  if (next.normalize('NFKC') === current.normalize('NFKC'))
    throw invalidAt('password.next', 'must differ from the current one');
  requireUncommon(next, 'password.next');
  const account = await readAccount(db, principal.id);
  const attempt = { email: account.email, password: current, address, known: `session:${credential}` };
  const { isRight, counted } = await verifyAttempt(db, attempt, account.hash, clock.now());
  if (!isRight) throw fault('forbidden', 'The current password is wrong.');
  return { account, counted, hash: await hashPassword(next, knownTurn(account.email)) };
};

const mergePreferences = (before: Preferences, patch: OwnAccountPatch['preferences']): Preferences => {
  if (patch === undefined) return before;
  const merged = Object.fromEntries(
    Object.entries({ ...(patch === null ? {} : before), ...patch }).filter(([, value]) => value !== null),
  );
  if (Buffer.byteLength(JSON.stringify(merged)) > limits.preferencesBytes)
    throw invalidAt('preferences', `must have at most ${String(limits.preferencesBytes)} bytes in all`);
  return merged;
};

/**
 * Changes the caller's own account and returns it. A new password ends their other sessions and makes known browsers
 * unknown, but for the one that makes the change: its token is returned too, null without a new password.
 */
export const updateOwnAccount = async (
  tx: Tx,
  { caller, credential, patch }: OwnAccountCall,
  password: NewPassword | null,
  at: number,
): Promise<{ readonly account: OwnAccount; readonly browser: string | null }> => {
  const id = caller.principal.id ?? '';
  if (password !== null && !(await lockAccount(tx, password.account)))
    throw fault('conflict', 'The password has been changed meanwhile; sign in again.');
  const before = await queryRow<OwnAccount>(tx, lockSql, [id]);
  if (before === undefined) throw fault('unauthorized');
  const name = patch.name ?? before.name;
  const preferences = mergePreferences(before.preferences, patch.preferences);
  const isSame = name === before.name && JSON.stringify(preferences) === JSON.stringify(before.preferences);
  if (isSame && password === null) return { account: before, browser: null };
  await executeStatement(tx, updateSql, [id, name, JSON.stringify(preferences), password?.hash ?? null]);
  if (password !== null) {
    await clearSignInFailures(tx, password.counted);
    await endOtherSessions(tx, id, credential);
    await voidLinks(tx, id);
  }
  const changed = Object.keys(patch.preferences ?? {});
  await recordAdminChange(tx, toAdministrator(caller, at), {
    verb: password === null ? 'person.update' : 'person.password',
    target: { type: 'person', id },
    environments: password === null && name === before.name ? [caller.env.name] : caller.principal.environments,
    before: { name: before.name },
    after: { name, ...(changed.length === 0 ? {} : { preferences: changed }) },
  });
  const browser = password === null ? null : newBrowserToken({ id, hash: password.hash }, at);
  return { account: { name, preferences }, browser };
};
