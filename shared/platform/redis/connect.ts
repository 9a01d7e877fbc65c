/** All Redis connections of a process. Opens while Redis is unavailable, and works when it is back. */
import type { Bus } from './bus.ts';
import { closeClient, failFastOptions, openClient, type RedisAddress, type RedisClient } from './client.ts';
import { openQueues, type Queues } from './queues.ts';
import { openRedisBus } from './redisBus.ts';

export interface RedisConnections extends Queues {
  readonly bus: Bus;
  /** For commands that a request waits for: fails at once without a connection, after 500 ms without an answer. */
  readonly command: RedisClient;
  readonly prefix: string;
}

/** Opens the connections; `close` may be called twice. */
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
