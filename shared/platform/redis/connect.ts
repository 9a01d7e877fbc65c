/** All Redis connections of a process. Opens while Redis is unavailable, and works when it is back. */
import { type Bus, redisKeys } from './bus.ts';
import { type RedisAddress, type RedisClient, closeClient, failFastOptions, openClient } from './client.ts';
import type { RefusalReporter } from './droppedMessages.ts';
import type { KeyRing } from './keyRing.ts';
import { type Queues, openQueues } from './queues.ts';
import { type RedisSecurity, openRedisBus } from './redisBus.ts';

export interface RedisConnections extends Queues {
  /** Called for each job or call from Redis that is refused. */
  readonly onRefused: RefusalReporter;
  readonly bus: Bus;
  /** Returns what Redis refuses and an operator has to mend; null: nothing that is known. */
  readonly refusal: () => string | null;
  /** For commands that a request waits for: fails at once without a connection, after 500 ms without an answer. */
  readonly command: RedisClient;
  /** Returns the name of a key of `redisKeys` in Redis. */
  readonly key: (name: string) => string;
  readonly digest: KeyRing['digest'];
}

/** Opens the connections; `close` may be called twice. */
export const openRedis = (address: RedisAddress, security: RedisSecurity): RedisConnections => {
  const command = openClient(address, failFastOptions);
  const bus = openRedisBus(address, command, security);
  const queues = openQueues(address, security.onRefused);
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    security.keys.close();
    await Promise.all([bus.close(), queues.close()]);
    await closeClient(command);
  };
  return {
    bus,
    refusal: () => null,
    command,
    key: (name) => `${address.prefix}:${name}`,
    digest: security.keys.digest,
    onRefused: security.onRefused,
    queue: queues.queue,
    worker: queues.worker,
    close: () => (closing ??= close()),
  };
};

/** ms after which Redis forgets the key. */
const keptMs = 10_000;

/** Writes a key of no other use. Rejects when Redis refuses it, or cannot be reached. */
export const testWrite = async ({ command, key }: Pick<RedisConnections, 'command' | 'key'>): Promise<void> => {
  await command.set(key(redisKeys.ready), '1', 'PX', keptMs);
};
