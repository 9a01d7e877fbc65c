/** Accounts: reading one, and verifying its password within the throttle. For signIn.ts, openId/ and ownAccount.ts. */
import { fault, Fault } from '../catalogue/errors.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import { addressBlock } from '../platform/http.ts';
import { knownTurn, strangersTurn, verifyPassword } from './passwords.ts';
import { normalizeEmail } from './settings/people.ts';
import {
  type CountedAttempt,
  type SignInAttempt,
  countRefusedSignIn,
  takeAttemptBack,
  throttleSignIn,
} from './signInThrottle.ts';

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly environments: readonly string[];
  /** null: they can't sign in. */
  readonly hash: string | null;
}

const select = `
  select p.id, p.email, p.name, r.name as role, p.environments, p.password_hash as hash
  from people p join roles r on r.id = p.role where p.removed_at is null`;
const byEmail = statement('account.byEmail', `${select} and p.email = $1`);
const byId = statement('account.byId', `${select} and p.id = $1`);
const lockSql = statement(
  'account.lock',
  'select from people where id = $1 and password_hash = $2 and removed_at is null for share',
);

export const findAccount = (db: Db, email: string): Promise<Account | undefined> =>
  queryRow<Account>(db, byEmail, [normalizeEmail(email)]);

/** Returns the account of a person; undefined for one who was removed. */
export const findAccountById = (db: Db | Tx, id: string | null): Promise<Account | undefined> =>
  queryRow<Account>(db, byId, [id]);

/** Returns the account of a person. Throws `unauthorized` for one who was removed. */
export const readAccount = async (db: Db | Tx, id: string | null): Promise<Account> => {
  const found = await findAccountById(db, id);
  if (found === undefined) throw fault('unauthorized');
  return found;
};

/**
 * Locks the person until the transaction ends, as a new password or a removal must find and delete the session that is
 * written. Returns false when the password or the person has gone meanwhile.
 */
export const lockAccount = async (tx: Tx, { id, hash }: Account): Promise<boolean> =>
  hash !== null && (await executeStatement(tx, lockSql, [id, hash])) > 0;

interface VerifiedAttempt {
  readonly isRight: boolean;
  readonly counted: CountedAttempt;
}

/**
 * Counts an attempt and verifies its password against the stored hash, null where there is none. Throws `rate_limited`
 * for too many failures, or when too many passwords wait to be verified; the attempt then doesn't count.
 */
export const verifyAttempt = async (
  db: Db,
  attempt: SignInAttempt,
  hash: string | null,
  at: number,
): Promise<VerifiedAttempt> => {
  let counted: CountedAttempt | null = null;
  try {
    counted = await throttleSignIn(db, attempt, at);
    const turn = counted.isKnown ? knownTurn(attempt.email) : strangersTurn(addressBlock(attempt.address));
    const isRight = (await verifyPassword(attempt.password, hash, turn)) && hash !== null;
    if (!isRight) countRefusedSignIn('wrong_password');
    return { isRight, counted };
  } catch (error) {
    if (error instanceof Fault && error.code === 'rate_limited') {
      countRefusedSignIn('rate_limited');
      if (counted !== null) await takeAttemptBack(db, counted);
    }
    throw error;
  }
};
