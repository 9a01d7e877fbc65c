/** The check of `npm run doctor` that no other installation uses the prefix in Redis. Run by redis.ts. */
import { openDb } from '../../platform/db/knex.ts';
import type { RedisClient } from '../../platform/redis/client.ts';
import { redisKeys } from '../../platform/redis/keys.ts';
import { readSite, readSites } from '../../platform/redis/sites.ts';
import { ok, warn, type Finding } from './finding.ts';

/** Returns the installation of DATABASE_URL; null where PostgreSQL does not say, which its own checks tell. */
const readOwn = async (databaseUrl: string): Promise<string | null> => {
  const db = openDb({ url: databaseUrl, poolSize: 1, applicationName: 'console-doctor' });
  try {
    return await readSite(db);
  } catch {
    return null;
  } finally {
    await db.destroy();
  }
};

/** Returns the finding; none where the user may not read the key, which the check of the ACL tells. `now` is the clock of Redis in epoch ms. */
export const checkSites = async (
  client: RedisClient,
  { redisPrefix, databaseUrl }: { readonly redisPrefix: string; readonly databaseUrl: string },
  now: number,
): Promise<readonly Finding[]> => {
  const sites = await readSites(client, `${redisPrefix}:${redisKeys.sites}`, now).catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return null;
    throw error;
  });
  if (sites === null) return [];
  const own = await readOwn(databaseUrl);
  // Of several of which none is known to be this one, one is.
  const others = own === null ? sites.length - 1 : sites.filter((site) => site !== own).length;
  return [
    others <= 0
      ? ok('redis.prefix', `no processes of another database use the prefix ${redisPrefix}`)
      : warn(
          'redis.prefix',
          `processes of another database used the prefix ${redisPrefix} in the last two minutes: they take this one’s jobs and messages and refuse them; give each installation a REDIS_PREFIX of its own`,
        ),
  ];
};
