/**
 * The keys that seal messages between processes (messageSeal.ts): rows of `redis_keys`, one a day by PostgreSQL's clock, read
 * once a minute. Every process has tomorrow's key before anybody seals with it.
 */
import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { Db } from '../db/knex.ts';
import { executeStatement, queryRows, statement } from '../db/sql.ts';

const dayMs = 86_400_000;
/** ms between two readings: PostgreSQL's clock is known to within what clocks drift in a minute. */
const readIntervalMs = 60_000;
/** ms between two readings that messages cause, so that forged key numbers cost PostgreSQL two statements a second at most. */
const requestIntervalMs = 1_000;

const readKeysSql = statement(
  'redisKeys.read',
  `
  select (extract(epoch from clock_timestamp()) * 1000)::bigint as at, k.day, k.key
  from (select 1) once left join redis_keys k on true`,
);
/** Of two processes that make a key at once, both read the one that was committed first. */
const insertKeysSql = statement(
  'redisKeys.make',
  `
  with old as (delete from redis_keys where day < $1::int - 1)
  insert into redis_keys (day, key) values ($1::int, $2), ($1::int + 1, $3) on conflict (day) do nothing`,
);

export interface KeyRing {
  /** Returns PostgreSQL's time in epoch ms, as far as known. */
  now(): number;
  /** Returns the day whose key seals now. */
  today(): number;
  /** Returns the key of a day; undefined when it is not known or no longer valid. */
  find(day: number): KeyObject | undefined;
  /** Reads the keys soon, because a message names an unknown one. */
  request(): void;
  close(): void;
}

interface KeyRow {
  readonly at: number;
  readonly day: number | null;
  readonly key: Buffer | null;
}

/** Opens the ring and reads the keys. Rejects when PostgreSQL is unavailable. `onError` gets failures of later readings. */
export const openKeyRing = async (db: Db, onError: (error: Error) => void): Promise<KeyRing> => {
  let keys = new Map<number, KeyObject>();
  /** PostgreSQL's clock less that of this process, in ms. */
  let offset = 0;
  let reading: Promise<void> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;

  const now = (): number => Date.now() + offset;
  const today = (): number => Math.floor(now() / dayMs);

  /** Returns the same object for the same key, as what is derived from it is cached by it. */
  const toKeyObject = (day: number, bytes: Buffer): KeyObject => {
    const read = createSecretKey(bytes);
    const known = keys.get(day);
    return known?.equals(read) === true ? known : read;
  };
  const readRows = async (): Promise<void> => {
    const began = Date.now();
    const rows = await queryRows<KeyRow>(db, readKeysSql);
    // Half of the round trip has passed since PostgreSQL read its clock.
    offset = (rows[0]?.at ?? began) - (began + Date.now()) / 2;
    keys = new Map(
      rows.flatMap(({ day, key }) => (day === null || key === null ? [] : [[day, toKeyObject(day, key)] as const])),
    );
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
    now,
    today,
    find: (day) => (Math.abs(day - today()) <= 1 ? keys.get(day) : undefined),
    request: () => {
      if (performance.now() - readAt >= requestIntervalMs) readQuietly();
    },
    close: () => {
      clearInterval(timer);
    },
  };
};
