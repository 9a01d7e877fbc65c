/**
 * Throttles sign-ins per account and per address, over all processes, against guessing of passwords. Attempts during a
 * wait don't make it longer, and waits are short, so that nobody can be locked out. For signIn.ts.
 */
import { createHash } from 'node:crypto';
import { fault } from '../catalogue/errors.ts';
import { addressBlock } from '../platform/core/address.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import { normalizeEmail } from './people.ts';

interface ThrottlePolicy {
  /** Attempts without a wait. The last of them starts a wait of 1 s, each further failure doubles it. */
  readonly free: number;
  readonly waitMaxMs: number;
}

/** An address has more free failures than an account, as many people may share it. */
const throttlePolicies = {
  account: { free: 5, waitMaxMs: 30_000 },
  address: { free: 20, waitMaxMs: 300_000 },
} as const satisfies Record<string, ThrottlePolicy>;
/** Milliseconds without an attempt after which failures no longer count. */
const forgetMs = 3_600_000;
/** Outdated rows that each attempt deletes: more than the two that it may insert. */
const sweepRows = 4;

/** Counts the attempt as failed before the password is verified, so that concurrent attempts count too; updates no row during a wait. */
const countAttemptSql = statement(
  'tries.take',
  `
  insert into sign_in_tries as t (subject, failures, last_at, free_at) values ($1, 1, $2, $2)
  on conflict (subject) do update set (failures, last_at, free_at) = (
    select n, $2::bigint, $2::bigint + case when n < $3::int then 0 else least($4::bigint, 1000 * 2 ^ least(n - $3::int, 20))::bigint end
    from (select case when t.last_at <= $2::bigint - $5::bigint then 1 else least(t.failures, 1000) + 1 end as n) counted)
  where t.free_at <= $2::bigint`,
);
const remainingWaitSql = statement(
  'tries.wait',
  'select free_at - $2::bigint as ms from sign_in_tries where subject = $1',
);
const deleteForgottenSql = statement(
  'tries.sweep',
  `
  delete from sign_in_tries where subject in (select subject from sign_in_tries where last_at <= $1 order by last_at limit $2 for update skip locked)`,
);
const clearFailuresSql = statement('tries.forgive', 'delete from sign_in_tries where subject = $1');
/** A success takes only its own attempt back from the address: an attacker's own account must not reset the failures at others. */
const decrementFailuresSql = statement(
  'tries.giveBack',
  'update sign_in_tries set failures = failures - 1 where subject = $1 and failures > 0',
);

export interface SignInAttempt {
  readonly email: string;
  readonly address: string | null;
}

/** The typed address may be anything, even a password, so only its hash is stored. */
const accountSubject = ({ email }: SignInAttempt): string =>
  `account:${createHash('sha256').update(normalizeEmail(email)).digest('base64url')}`;
const addressSubject = ({ address }: SignInAttempt): string => `address:${addressBlock(address)}`;

const throttleSubject = async (
  tx: Tx,
  subject: string,
  { free, waitMaxMs }: ThrottlePolicy,
  at: number,
): Promise<void> => {
  if ((await executeStatement(tx, countAttemptSql, [subject, at, free, waitMaxMs, forgetMs])) > 0) return;
  const ms = (await queryRow<{ ms: number }>(tx, remainingWaitSql, [subject, at]))?.ms ?? 1;
  const seconds = String(Math.max(1, Math.ceil(ms / 1000)));
  throw fault('rate_limited', 'Too many wrong passwords; wait for retry-after seconds.', {
    headers: { 'retry-after': seconds },
  });
};

/** Counts an attempt as failed until `clearSignInFailures`. Throws `rate_limited` during a wait, and then counts nothing. */
export const throttleSignIn = (db: Db, tried: SignInAttempt, at: number): Promise<void> =>
  db.transaction(async (tx) => {
    // Always in this order, so that concurrent attempts don't deadlock.
    await throttleSubject(tx, accountSubject(tried), throttlePolicies.account, at);
    await throttleSubject(tx, addressSubject(tried), throttlePolicies.address, at);
    await executeStatement(tx, deleteForgottenSql, [at - forgetMs, sweepRows]);
  });

/** Resets the failures of the account and takes one from the address, after a right password. */
export const clearSignInFailures = async (tx: Tx, tried: SignInAttempt): Promise<void> => {
  await executeStatement(tx, clearFailuresSql, [accountSubject(tried)]);
  await executeStatement(tx, decrementFailuresSql, [addressSubject(tried)]);
};
