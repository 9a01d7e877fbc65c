/**
 * Throttles sign-ins over all processes, against guessing of passwords: per account, per address, and per account and
 * address together, so that strangers' guesses don't keep an owner out. Attempts during a wait don't make it longer, and the
 * third one with the same password is verified during the wait. A browser that its person has signed in with before has tries of its
 * own. For accounts.ts and passwordReset.ts; counts refusals for the API too.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Counter } from 'prom-client';
import { Fault, fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import { addressBlock } from '../platform/http.ts';
import { platformRegistry } from '../platform/log/metrics.ts';
import { createLimiter } from '../platform/turns/limiter.ts';
import { knownTurn, strangersTurn, tooManySignIns } from './passwords.ts';
import { normalizeEmail } from './settings/people.ts';

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
/** Attempts of one address at one account, in an hour, that the waits of the account don't stop. */
const ownAttempts = 3;
/**
 * The refused attempt with the same password that is verified during a wait: an owner repeats the right password, and a
 * guesser needs three requests for one guess.
 */
const repeatedAttempt = 3;
/** Attempts of one address in an hour, over all accounts, that are verified during a wait because they were repeated. */
const repeatedAttempts = 30;
/** Attempts in an hour of a browser or a session in which the person has signed in before; further ones count as a stranger's. */
const knownAttempts = 10;
/** Milliseconds without an attempt after which failures no longer count, and the hour of the two numbers above. */
const forgetMs = 3_600_000;
/**
 * Attempts that are counted at a time. Those at one account wait for each other in PostgreSQL; more of them would hold the
 * connections that everybody's changes need.
 */
const withCountingSlot = createLimiter({ concurrency: 2, waitingMax: 200, refusal: tooManySignIns });

/** Outdated rows that each attempt deletes: more than the four that it may insert. */
const sweepRows = 8;

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
/** Counts the attempt in the hour that began with the first one; of these rows `last_at` is that beginning. */
const countInHourSql = statement(
  'tries.inHour',
  `
  insert into sign_in_tries as t (subject, failures, last_at, free_at) values ($1, 1, $2, $2)
  on conflict (subject) do update set (failures, last_at) = (
    select case when o.is_over then 1 else least(t.failures, 1000) + 1 end, case when o.is_over then $2::bigint else t.last_at end
    from (select t.last_at <= $2::bigint - $3::bigint as is_over) o)
  returning failures`,
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
const clearFailuresSql = statement('tries.forgive', 'delete from sign_in_tries where subject = any($1)');
/** A success takes only its own attempt back from the address: an attacker's own account must not reset the failures at others. */
const decrementFailuresSql = statement(
  'tries.giveBack',
  'update sign_in_tries set failures = failures - 1 where subject = any($1) and failures > 0',
);

export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  readonly address: string | null;
  /** The browser or the session in which the person of this account has signed in before; null: a stranger so far. */
  readonly known: string | null;
}

/** What an attempt was counted at. */
export interface CountedAttempt {
  /** Set back by a right password. */
  readonly own: readonly string[];
  /** Of which a right password takes back no more than this attempt. */
  readonly shared: readonly string[];
  /** Whether the client counts as one in which the person has signed in before. */
  readonly isKnown: boolean;
}

/** The typed address may be anything, even a password, so only its hash is stored. */
const hashEmail = (email: string, encoding: 'base64url' | 'hex'): string =>
  createHash('sha256').update(normalizeEmail(email)).digest(encoding);

/** Returns what the audit log has in place of an address that was typed and proves nothing: `sha256:` and its hash in hex. */
export const typedEmailDigest = (email: string): string => `sha256:${hashEmail(email, 'hex')}`;

/** Returns three bytes of a digest of the password: few, as a digest is quick to compute, and enough to tell guesses apart. */
const passwordMark = ({ email, password }: SignInAttempt): string =>
  createHash('sha256')
    .update(`${normalizeEmail(email)}\n${password.normalize('NFKC')}`)
    .digest('hex')
    .slice(0, 6);

const countInHour = async (tx: Tx, subject: string, at: number): Promise<number> =>
  (await queryRow<{ failures: number }>(tx, countInHourSql, [subject, at, forgetMs]))?.failures ?? 1;

/** Counts the attempt unless a wait is under way; returns whether it was counted. */
const countUnlessWaiting = async (
  tx: Tx,
  subject: string,
  { free, waitMaxMs }: ThrottlePolicy,
  at: number,
): Promise<boolean> => (await executeStatement(tx, countAttemptSql, [subject, at, free, waitMaxMs, forgetMs])) > 0;

const throwWait = async (tx: Tx, subject: string, at: number): Promise<never> => {
  const ms = (await queryRow<{ ms: number }>(tx, remainingWaitSql, [subject, at]))?.ms ?? 1;
  const seconds = String(Math.max(1, Math.ceil(ms / 1000)));
  throw fault(
    'rate_limited',
    'Too many wrong passwords; wait for retry-after seconds, or repeat the right one: the third time it is checked.',
    {
      headers: { 'retry-after': seconds },
    },
  );
};

/** What a stranger's attempt is counted at. */
const strangerSubjects = ({ email, address }: SignInAttempt) => {
  const [account, block] = [hashEmail(email, 'base64url'), addressBlock(address)];
  const pair = `pair:${account}:${block}`;
  return { pair, account: `account:${account}`, address: `address:${block}`, repeated: `repeated:${block}` };
};

/** Counts the attempt of a stranger. The first ones of an address count at the account too, and are not stopped by its wait. */
const throttleStranger = async (tx: Tx, tried: SignInAttempt, at: number): Promise<CountedAttempt> => {
  const subjects = strangerSubjects(tried);
  // Always in this order, so that concurrent attempts don't deadlock.
  const isOwn = (await countInHour(tx, subjects.pair, at)) <= ownAttempts;
  if (!(await countUnlessWaiting(tx, subjects.account, throttlePolicies.account, at)) && !isOwn)
    await throwWait(tx, subjects.account, at);
  if (!(await countUnlessWaiting(tx, subjects.address, throttlePolicies.address, at)))
    await throwWait(tx, subjects.address, at);
  return { own: [subjects.pair, subjects.account], shared: [subjects.address], isKnown: false };
};

const countFirst = (db: Db, tried: SignInAttempt, at: number): Promise<CountedAttempt> =>
  db.transaction(async (tx) => {
    const known = tried.known === null ? null : `known:${tried.known}`;
    const isKnown = known !== null && (await countInHour(tx, known, at)) <= knownAttempts;
    const counted = isKnown ? { own: [known], shared: [], isKnown } : await throttleStranger(tx, tried, at);
    await executeStatement(tx, deleteForgottenSql, [at - forgetMs, sweepRows]);
    return counted;
  });

/** Counts an attempt that a wait refuses; returns what it was counted at where it is the repeated one, else null. */
const countRepeated = (db: Db, tried: SignInAttempt, at: number): Promise<CountedAttempt | null> =>
  db.transaction(async (tx) => {
    const { pair, account, repeated } = strangerSubjects(tried);
    const same = `same:${pair}:${passwordMark(tried)}`;
    const isRepeated =
      (await countInHour(tx, same, at)) === repeatedAttempt &&
      (await countInHour(tx, repeated, at)) <= repeatedAttempts;
    await executeStatement(tx, deleteForgottenSql, [at - forgetMs, sweepRows]);
    return isRepeated ? { own: [pair, account, same], shared: [repeated], isKnown: false } : null;
  });

/** Requests for a link in an hour that are served: of one account, and of one address. */
const resetsMax = { account: 3, address: 20 } as const;

/** Counts a request for a link to set a password, and returns whether it is served. */
export const countReset = async (
  tx: Tx,
  { email, address }: Pick<SignInAttempt, 'email' | 'address'>,
  at: number,
): Promise<boolean> => {
  const ofAddress = await countInHour(tx, `resetFrom:${addressBlock(address)}`, at);
  return (
    ofAddress <= resetsMax.address &&
    (await countInHour(tx, `reset:${hashEmail(email, 'base64url')}`, at)) <= resetsMax.account
  );
};

const countAttempt = async (db: Db, tried: SignInAttempt, at: number): Promise<CountedAttempt> => {
  try {
    return await countFirst(db, tried, at);
  } catch (error) {
    // The refused attempt has left no count, as its transaction was rolled back.
    const counted = error instanceof Fault && error.code === 'rate_limited' ? await countRepeated(db, tried, at) : null;
    if (counted === null) throw error;
    return counted;
  }
};

/**
 * Counts an attempt as failed until `clearSignInFailures` and returns what it was counted at. Throws `rate_limited` during
 * a wait, unless it is the third with this password, or when too many attempts are to be counted; the wait stays the same.
 */
export const throttleSignIn = (db: Db, tried: SignInAttempt, at: number): Promise<CountedAttempt> => {
  const turn = tried.known === null ? strangersTurn(addressBlock(tried.address)) : knownTurn(tried.email);
  return withCountingSlot(() => countAttempt(db, tried, at), turn);
};

/** Resets the failures of the account, the client or both, and takes one from the address, after a right password. */
export const clearSignInFailures = async (tx: Tx, { own, shared }: CountedAttempt): Promise<void> => {
  await executeStatement(tx, clearFailuresSql, [own]);
  await executeStatement(tx, decrementFailuresSql, [shared]);
};

/** Takes back an attempt whose password was not verified, as too many wait for that. */
export const takeAttemptBack = async (db: Db, { own, shared }: CountedAttempt): Promise<void> => {
  await executeStatement(db, decrementFailuresSql, [[...own, ...shared]]);
};

interface Account {
  readonly id: string;
  /** The stored hash of the password; null: they can't sign in. */
  readonly hash: string | null;
}

const form = /^([0-9a-z_]{1,40})\.(\d{1,15})\.([\w-]{22})\.([\w-]{43})$/;

const authenticate = (hash: string, ...parts: readonly string[]): Buffer =>
  createHmac('sha256', hash)
    .update(['known browser', ...parts].join('.'))
    .digest();

/** Returns a new token for the account, to be kept by the browser. `at`: epoch milliseconds. */
export const newBrowserToken = ({ id, hash }: Account, at: number): string => {
  const parts = [id, String(at), randomBytes(16).toString('base64url')];
  return [...parts, authenticate(hash ?? '', ...parts).toString('base64url')].join('.');
};

/** Returns the name of the browser, or null unless it has a token of this account and of its present password, 90 days old at most. */
export const readBrowserToken = (token: string | null, account: Account | undefined, at: number): string | null => {
  const [, id = '', since = '', name = '', mac = ''] = form.exec(token ?? '') ?? [];
  if (account === undefined || account.hash === null || id !== account.id) return null;
  if (Number(since) + limits.knownBrowserMs <= at) return null;
  const expected = authenticate(account.hash, id, since, name);
  const given = Buffer.from(mac, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected) ? name : null;
};

const counter = new Counter({
  name: 'console_sign_in_refused_total',
  help: 'Refused sign-ins, by `reason`: wrong_password, rate_limited, password_off, no_access (not in this environment), and the words for a provider’s.',
  labelNames: ['reason'],
  registers: [platformRegistry],
});

/** Counts a refusal; `reason` is one of the words above or of openId/problems.ts, never what somebody typed. */
export const countRefusedSignIn = (reason: string): void => {
  counter.inc({ reason });
};
