/**
 * Slows guessing of passwords, per account and per address, over all processes. A wait is at most half a minute (an
 * address: five) and asking during it doesn't make it longer, so nobody is ever locked out. For signIn.ts.
 */
import { createHash } from 'node:crypto';
import { fault } from '../catalogue/errors.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, executeStatement, statement } from '../platform/db/sql.ts';
import { normalizeEmail } from './people.ts';

interface ThrottlePolicy {
  /** Tries without a wait; then 1 s, doubling. */
  readonly free: number;
  readonly waitMaxMs: number;
}

/** Many people may share an address, and one may mistype more than once. */
const throttlePolicies = {
  account: { free: 5, waitMaxMs: 30_000 },
  address: { free: 20, waitMaxMs: 300_000 },
} as const satisfies Record<string, ThrottlePolicy>;
/** Failures are forgotten after this time without a try. */
const forgetMs = 3_600_000;
/** Forgotten rows that each try removes: more than it adds. */
const sweepRows = 4;

/** Counts the try before it is made, so that those made at once count too; touches no row while there is a wait. */
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
/** An account that somebody owns must not win its address free tries at others. */
const decrementFailuresSql = statement(
  'tries.giveBack',
  'update sign_in_tries set failures = failures - 1 where subject = $1 and failures > 0',
);

export interface SignInAttempt {
  readonly email: string;
  readonly address: string;
}

/** What was typed may be anything, a password too: it is not kept. */
const accountSubject = ({ email }: SignInAttempt): string =>
  `account:${createHash('sha256').update(normalizeEmail(email)).digest('base64url')}`;
const addressSubject = ({ address }: SignInAttempt): string => `address:${address}`;

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

/** Counts a try as failed, for now. Throws `429 rate_limited` while there is a wait, which then counts nothing. */
export const throttleSignIn = (db: Db, tried: SignInAttempt, at: number): Promise<void> =>
  db.transaction(async (tx) => {
    // In this order everywhere, so that no two wait for each other.
    await throttleSubject(tx, accountSubject(tried), throttlePolicies.account, at);
    await throttleSubject(tx, addressSubject(tried), throttlePolicies.address, at);
    await executeStatement(tx, deleteForgottenSql, [at - forgetMs, sweepRows]);
  });

/** The password was right: its account has no failures any more, its address one less. */
export const clearSignInFailures = async (tx: Tx, tried: SignInAttempt): Promise<void> => {
  await executeStatement(tx, clearFailuresSql, [accountSubject(tried)]);
  await executeStatement(tx, decrementFailuresSql, [addressSubject(tried)]);
};
