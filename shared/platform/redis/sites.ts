/**
 * Which databases' processes use a prefix in Redis: two installations with one prefix take each other's jobs. Noted by
 * redisHealth.ts of each process, read by `npm run doctor`.
 */
import { createHash } from 'node:crypto';
import type { Db } from '../db/knex.ts';
import { systemSql } from '../db/timeline.ts';
import type { RedisClient } from './client.ts';

/** ms after which an installation that is not noted again is not there any more; three times as long as between two notes. */
export const siteMs = 90_000;

/** Returns a digest of the database, the same after a failover; null where the role may not ask for it. */
export const readSite = async (db: Db): Promise<string | null> => {
  try {
    // Without a name: doctor asks through pools that may not know prepared statements.
    const { rows } = await db.raw<{ rows: { name: string }[] }>(
      `select ${systemSql} || '/' || current_database() as name`,
    );
    return createHash('sha256')
      .update(rows[0]?.name ?? '')
      .digest('base64url')
      .slice(0, 22);
  } catch (error) {
    // Insufficient privilege: nothing but a hint is lost.
    if (error instanceof Error && 'code' in error && error.code === '42501') return null;
    throw error;
  }
};

/** Notes at the present time of Redis that a process of the installation uses the prefix; `key` is that of `redisKeys.sites`. */
export const noteSite = async (client: RedisClient, key: string, site: string): Promise<void> => {
  const [seconds] = await client.time();
  const now = Number(seconds) * 1_000;
  await client.zadd(key, now, site);
  await client.zremrangebyscore(key, '-inf', now - siteMs);
  await client.pexpire(key, siteMs);
};

/** Returns the installations that were noted within `siteMs` before `now`, by the clock of Redis. */
export const readSites = (client: RedisClient, key: string, now: number): Promise<string[]> =>
  client.zrangebyscore(key, now - siteMs, '+inf');
