/** The check of `npm run doctor` that Redis takes writes: it may be full, a replica, or unable to save. Run by redis.ts. */
import type { RedisClient } from '../../platform/redis/client.ts';
import { fail, ok, type Finding } from './finding.ts';

/** The cause and the remedy, by the code at the start of Redis' error message. */
const refusals: Readonly<Record<string, string>> = {
  OOM: 'Redis is full and refuses writes: raise maxmemory, or remove what others keep there; maxmemory-policy stays noeviction',
  MISCONF:
    'Redis refuses writes, as it could not save its data: look at the space and the rights of its folder, and at its log',
  READONLY: 'Redis is a replica that only reads: name the master in REDIS_URL, or promote this server',
  NOREPLICAS:
    'Redis refuses writes, as fewer replicas follow than min-replicas-to-write: look at the replicas, or lower it',
  CLUSTERDOWN: 'the Redis Cluster is down: some of its slots have no master; look at cluster nodes',
};

/** Returns the finding of an error by which Redis refuses writes, or null for any other error. */
export const findRefusal = (error: unknown): Finding | null => {
  const text = error instanceof Error ? refusals[error.message.split(' ', 1)[0] ?? ''] : undefined;
  return text === undefined ? null : fail('redis.writes', text);
};

/** Returns the finding about writes, or null where the user may not write `key`, which the check of the ACL tells. */
export const checkRedisWrites = async (client: RedisClient, key: string): Promise<Finding | null> => {
  try {
    await client.set(key, '1', 'PX', 10_000);
    await client.del(key);
    return ok('redis.writes', 'Redis takes writes');
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return null;
    const refusal = findRefusal(error);
    if (refusal === null) throw error;
    return refusal;
  }
};
