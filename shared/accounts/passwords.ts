/** Hashes and verifies passwords by scrypt, with the parameters stored beside the hash. For sign-in, settings and the admin command. */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fault, invalidAt } from '../catalogue/errors.ts';
import { createLimiter, type Turn } from '../platform/turns/limiter.ts';

interface Parameters {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** The 32 MiB choice of OWASP's Password Storage Cheat Sheet, about 0.2 s of one thread. */
const currentParameters: Parameters = { N: 2 ** 15, r: 8, p: 3 };
const saltBytes = 16;
const hashBytes = 32;

/** Bytes that the parameters of a stored hash may request, so that no row of the database can exhaust the memory. */
const memoryMax = 256 * 1024 * 1024;

/** Returns what those are refused with for whom there is no place in a queue. */
export const tooManySignIns = () =>
  fault('rate_limited', 'Too many people sign in at this moment.', { headers: { 'retry-after': '3' } });

/**
 * Hashes at a time: two of the four threads of Node's pool stay free for file and DNS work of other requests. Callers who
 * have signed in before have a lane of their own, so that strangers' guesses don't delay them; in each lane the clients
 * take turns. A lane of 100 is done in about 10 s, longer than which few clients wait.
 */
const withHashingSlot = createLimiter({
  concurrency: 2,
  waitingMax: 100,
  refusal: tooManySignIns,
});

/** Returns the turn of a client who has signed in before; `id` is theirs. */
export const knownTurn = (id: string): Turn => ({ lane: 'known', key: id });

/** Returns the turn of a client of whom nothing but the address is known. */
export const strangersTurn = (address: string): Turn => ({ lane: 'strangers', key: address });

const derive = (password: string, salt: Buffer, { N, r, p }: Parameters, length: number): Promise<Buffer> => {
  // NFKC, so that the same characters typed on another machine are the same password.
  const options: ScryptOptions = { N, r, p, maxmem: Math.min(256 * N * r, memoryMax) };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
};

/**
 * The most common passwords of at least 8 characters, in lower case, from the first 10,000 of three public lists (of SecLists
 * and zxcvbn, MIT). Read when the first password is chosen.
 */
const readCommonPasswords = (): ReadonlySet<string> =>
  new Set(
    readFileSync(new URL('commonPasswords.txt', import.meta.url), 'utf8')
      .trim()
      .split(/\s+/),
  );

let common: ReadonlySet<string> | null = null;

const unseen = /\p{Default_Ignorable_Code_Point}/gu;

/** Returns whether a password is one of the most common ones, or one sign again and again: in upper or lower case, whatever is unseen in it or stands around it as white space. */
const isCommonPassword = (password: string): boolean => {
  common ??= readCommonPasswords();
  const typed = password.normalize('NFKC').replace(unseen, '').trim().toLowerCase();
  return common.has(typed) || /^(.)\1*$/u.test(typed);
};

/** Throws `invalid` for one of the most common passwords. `path`: where the request has it. */
export const requireUncommon = (password: string, path = 'password'): void => {
  if (isCommonPassword(password))
    throw invalidAt(path, 'is one of the 10,000 most common passwords, which guessers try first; choose another one');
};

/**
 * Returns the hash of a new password: `scrypt$<N>$<r>$<p>$<salt>$<hash>` with salt and hash in base64. Throws `invalid` for a
 * common one, `rate_limited` when too many wait.
 */
export const hashPassword = async (password: string, turn?: Turn): Promise<string> => {
  requireUncommon(password);
  const salt = randomBytes(saltBytes);
  const hash = await withHashingSlot(() => derive(password, salt, currentParameters, hashBytes), turn);
  return [
    'scrypt',
    currentParameters.N,
    currentParameters.r,
    currentParameters.p,
    salt.toString('base64'),
    hash.toString('base64'),
  ].join('$');
};

interface StoredHash {
  readonly parameters: Parameters;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const form = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9+/=]{1,200})\$([A-Za-z0-9+/=]{1,200})$/;

const parseStoredHash = (stored: string): StoredHash | null => {
  const match = form.exec(stored);
  if (match === null) return null;
  const [, N, r, p, salt = '', hash = ''] = match;
  return {
    parameters: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
};

/** Verified in place of a missing hash, so that both cases take the same time. */
const dummyHash: StoredHash = {
  parameters: currentParameters,
  salt: randomBytes(saltBytes),
  hash: randomBytes(hashBytes),
};

/**
 * Returns whether `password` has the stored hash. With `stored` null (no such person, or one without a password) it
 * returns false after the same time, so that the time doesn't show who exists. Throws `rate_limited` when too many wait.
 */
export const verifyPassword = async (password: string, stored: string | null, turn?: Turn): Promise<boolean> => {
  const kept = stored === null ? null : parseStoredHash(stored);
  const { parameters, salt, hash } = kept ?? dummyHash;
  const found = await withHashingSlot(() => derive(password, salt, parameters, hash.length), turn);
  return timingSafeEqual(found, hash) && kept !== null;
};
