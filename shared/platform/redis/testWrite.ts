/** The write by which a process knows that Redis takes writes. Used by readiness.ts, redisHealth.ts and the enqueuer. */
import type { RedisConnections } from './connect.ts';
import { redisKeys } from './keys.ts';

/** ms after which Redis forgets the key. */
const keptMs = 10_000;

/** Writes a key of no other use. Rejects when Redis refuses it, or cannot be reached. */
export const testWrite = async ({ command, key }: Pick<RedisConnections, 'command' | 'key'>): Promise<void> => {
  await command.set(key(redisKeys.ready), '1', 'PX', keptMs);
};
