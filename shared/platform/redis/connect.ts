/** Everything that a process has to do with Redis; opens fine while Redis is away and works once it is back. */
import type { Bus } from './bus.ts';
import { closeClient, failFastOptions, openClient, type RedisAddress, type RedisClient } from './client.ts';
import { openQueues, type Queues } from './queues.ts';
import { openRedisBus } from './redisBus.ts';

export interface RedisConnections extends Queues {
  readonly bus: Bus;
  /** For commands that somebody waits for: fails at once without Redis, after 500 ms with one that doesn't answer. */
  readonly command: RedisClient;
  readonly prefix: string;
}

export const openRedis = (address: RedisAddress): RedisConnections => {
  const command = openClient(address, failFastOptions);
  const bus = openRedisBus(address, command);
  const queues = openQueues(address);
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await Promise.all([bus.close(), queues.close()]);
    await closeClient(command);
  };
  return {
    bus,
    command,
    prefix: address.prefix,
    queue: queues.queue,
    worker: queues.worker,
    close: () => (closing ??= close()),
  };
};
