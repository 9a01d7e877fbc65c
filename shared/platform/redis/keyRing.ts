/**
 * The keys that seal messages between processes (messageSeal.ts) and hide texts in names of Redis: rows of `redis_keys`, one a day by
 * PostgreSQL's clock, read once a minute. Every process has tomorrow's key before anybody seals with it.
 */
import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { Db } from '../db/knex.ts';
import { executeStatement, queryRows, statement } from '../db/sql.ts';
import type { Clock } from '../time/clock.ts';

const dayMs = 86_400_000;
/** ms between two readings. */
const readIntervalMs = 60_000;
/** ms between two readings that messages cause, so that forged key numbers cost PostgreSQL two statements a second at most. */
const requestIntervalMs = 1_000;

const readKeysSql = statement('redisKeys.read', `select day, key from redis_keys`);
/** Of two processes that make a key at once, both read the one that was committed first. */
const insertKeysSql = statement(
  'redisKeys.make',
  `
  with old as (delete from redis_keys where day < $1::int - 1)
  insert into redis_keys (day, key) values ($1::int, $2), ($1::int + 1, $3) on conflict (day) do nothing`,
);

/** Without a key (PostgreSQL is unavailable for a day) the process has digests of its own. */
const substituteKey = createSecretKey(randomBytes(32));

export interface KeyRing {
  /** Returns PostgreSQL's time in epoch ms, as far as known. */
  now(): number;
  /** Returns the day whose key seals now. */
  today(): number;
  /** Returns the key of a day; undefined when it is not known or no longer valid. */
  find(day: number): KeyObject | undefined;
  /** Returns 22 characters for a text that Redis may not have, the same in every process on the same day. */
  readonly digest: (text: string) => string;
  /** Reads the keys soon, because a message names an unknown one. */
  request(): void;
  close(): void;
}

interface KeyRow {
  readonly day: number;
  readonly key: Buffer;
}

/** Opens the ring and reads the keys; `clock` is PostgreSQL's. Rejects when PostgreSQL is unavailable. `onError` gets failures of later readings. */
export const openKeyRing = async (db: Db, clock: Clock, onError: (error: Error) => void): Promise<KeyRing> => {
  let keys = new Map<number, KeyObject>();
  let reading: Promise<void> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;

  const today = (): number => Math.floor(clock.now() / dayMs);
  const find = (day: number): KeyObject | undefined => (Math.abs(day - today()) <= 1 ? keys.get(day) : undefined);

  /** Returns the same object for the same key, as what is derived from it is cached by it. */
  const toKeyObject = (day: number, bytes: Buffer): KeyObject => {
    const read = createSecretKey(bytes);
    const known = keys.get(day);
    return known?.equals(read) === true ? known : read;
  };
  const readRows = async (): Promise<void> => {
    const rows = await queryRows<KeyRow>(db, readKeysSql);
    keys = new Map(rows.map(({ day, key }) => [day, toKeyObject(day, key)]));
  };
  const read = async (): Promise<void> => {
    readAt = performance.now();
    await readRows();
    const day = today();
    if (keys.has(day) && keys.has(day + 1)) return;
    await executeStatement(db, insertKeysSql, [day, randomBytes(32), randomBytes(32)]);
    await readRows();
  };
  const readOnce = (): Promise<void> =>
    (reading ??= read().finally(() => {
      reading = null;
    }));
  const readQuietly = (): void => {
    readOnce().catch(onError);
  };

  await readOnce();
  const timer = setInterval(readQuietly, readIntervalMs);
  timer.unref();
  return {
    now: () => clock.now(),
    today,
    find,
    digest: (text) =>
      createHmac('sha256', find(today()) ?? substituteKey)
        .update(`name\0${text}`)
        .digest('base64url')
        .slice(0, 22),
    request: () => {
      if (performance.now() - readAt >= requestIntervalMs) readQuietly();
    },
    close: () => {
      clearInterval(timer);
    },
  };
};
