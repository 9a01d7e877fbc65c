/** TypeIDs (https://github.com/jetify-com/typeid, spec 0.3): a prefix and 26 characters of a time-ordered UUIDv7. */
import { randomFillSync } from 'node:crypto';
import type { Clock } from './time/clock.ts';

const idPrefixes = [
  'itm',
  'ent',
  'run',
  'blk',
  'apr',
  'agt',
  'per',
  'rol',
  'key',
  'aud',
  'req',
  'job',
  'ses',
  'occ',
  'loo',
  'viw',
  'era',
  'cmt',
] as const;
export type IdPrefix = (typeof idPrefixes)[number];

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const form = new RegExp(`^[a-z]{3}_[0-7][${alphabet}]{25}$`);
const known = new Set<string>(idPrefixes);

/** Takes up a prefix that a settings resource brings along (accounts/settings/store.ts), so that its ids are known as ids. */
export const addIdPrefix = (prefix: string): void => {
  known.add(prefix);
};

const pool = Buffer.alloc(10 * 512);
let used = pool.length;
let lastAt = 0;
let sequence = 0;
/** Of `newIdOf`. */
let sequenceOf = 0;

/** Two characters for each ten bits, looked up, as ids are made by the thousand. */
const pairs = Array.from({ length: 1024 }, (_, bits) => alphabet.charAt(bits >> 5) + alphabet.charAt(bits & 31));
const four = (bits: number): string => `${pairs[bits >> 10] ?? ''}${pairs[bits & 1023] ?? ''}`;
const eight = (bits: number): string => four(Math.floor(bits / 0x100000)) + four(bits % 0x100000);

let timed = -1;
let timeText = '';

/** Encodes 128 bits, given as a time of 48 bits and 80 further bits (two of 40), as 26 base32 characters. */
const encode = (at: number, high: number, low: number): string => {
  if (at !== timed) {
    timed = at;
    timeText = (pairs[Math.floor(at / 0x10000000000)] ?? '') + eight(at % 0x10000000000);
  }
  return timeText + eight(high) + eight(low);
};

const version7 = 0x7000000000;

const refill = (): void => {
  if (used + 10 <= pool.length) return;
  randomFillSync(pool);
  used = 0;
};

/** Returns the id of a time and a sequence of 12 bits, with the next 62 random bits of the pool. */
const compose = (prefix: string, at: number, sequenceBits: number): string => {
  const variant = 0x80 | (pool.readUInt8(used + 2) & 0x3f);
  const high = version7 + sequenceBits * 0x1000000 + variant * 0x10000 + pool.readUInt16BE(used + 3);
  const low = pool.readUIntBE(used + 5, 5);
  used += 10;
  return `${prefix}_${encode(at, high, low)}`;
};

/** That of the machine until the process knows PostgreSQL's: rows are found by the times in their ids. */
let clock: Clock = { now: () => Date.now() };

/** Makes new ids by `used` from now on. */
export const useIdClock = (used: Clock): void => {
  clock = used;
};

/**
 * Returns a new id; `at` is in epoch ms. Later ids of a process sort after earlier ones: a 12-bit sequence stands where RFC
 * 9562 has `rand_a`, starts at random below 2,048 in each millisecond, and carries into the time when it is used up.
 */
export const newId = (prefix: string, at: number = clock.now()): string => {
  refill();
  if (at > lastAt) {
    lastAt = at;
    sequence = pool.readUInt16BE(used) & 0x7ff;
  } else {
    sequence += 1;
    if (sequence > 0xfff) {
      lastAt += 1;
      sequence = 0;
    }
  }
  return compose(prefix, Math.max(at, lastAt), sequence);
};

/** Returns a new id whose time is `at`, whatever was made before, so that ids of a time can be looked for (`idAt`). */
export const newIdOf = (prefix: IdPrefix, at: number): string => {
  refill();
  sequenceOf = (sequenceOf + 1) & 0xfff;
  return compose(prefix, at, sequenceOf);
};

/** Returns a text that sorts below all ids of a time and above those of every earlier one; above all ids for a time that none can have. */
export const idAt = (prefix: IdPrefix, at: number): string =>
  at >= 2 ** 48 ? `${prefix}_~` : `${prefix}_${encode(Math.max(at, 0), 0, 0)}`;

/** Returns the time in an id, in epoch ms; 0 for what is no id. */
export const idTime = (id: string): number =>
  isId(id) ? Array.from(id.slice(-26, -16)).reduce((time, letter) => time * 32 + alphabet.indexOf(letter), 0) : 0;

/** Returns the id of a numbered row: always the same, with the order of the ids that of time and row. */
export const rowId = (prefix: IdPrefix, at: number, row: number): string => {
  const high = version7 + 0x800000 + Math.floor(row / 0x10000000000);
  return `${prefix}_${encode(at, high, row % 0x10000000000)}`;
};

/** Returns whether `value` has the form of an id (of `prefix`, when given). */
export const isId = (value: string, prefix?: IdPrefix): boolean =>
  form.test(value) && (prefix === undefined ? known.has(value.slice(0, 3)) : value.startsWith(`${prefix}_`));
