/** Keys that seal messages: one without PostgreSQL, for tests of connections alone, and those of a world. */
import { createSecretKey, randomBytes } from 'node:crypto';
import type { KeyRing } from '../../shared/platform/redis/keyRing.ts';
import type { RedisSecurity } from '../../shared/platform/redis/redisBus.ts';
import type { World } from './world.ts';

export const testRedisSecurity = (): RedisSecurity => {
  const key = createSecretKey(randomBytes(32));
  return {
    keys: {
      now: Date.now,
      today: () => 1,
      find: () => key,
      digest: (text) => text,
      request: () => undefined,
      close: () => undefined,
    },
    onRefused: () => undefined,
  };
};

/** The keys as the processes of a world have them now. */
export const readTestKeys = async (world: World): Promise<KeyRing> => {
  const rows = await world.sql<{ day: number; key: Buffer }>('select day, key from redis_keys order by day');
  const keys = new Map(rows.map(({ day, key }) => [day, createSecretKey(key)]));
  return {
    now: Date.now,
    today: () => Math.floor(Date.now() / 86_400_000),
    find: (day) => keys.get(day),
    digest: (text) => text,
    request: () => undefined,
    close: () => undefined,
  };
};
