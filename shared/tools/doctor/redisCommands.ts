/** Tries out what the service and BullMQ do in Redis, on keys of their own. Used by redis.ts. */
import type { RedisClient } from '../../platform/redis/client.ts';

/**
 * Each command once, with `key` before its arguments; together they are of every kind that BullMQ's scripts use. A script
 * runs with the rights of its user, so that one which is forbidden there is found here as well.
 */
const commands: readonly (readonly [command: string, suffix: string, ...args: string[]])[] = [
  ['set', 'text', '1', 'PX', '10000'],
  ['get', 'text'],
  ['incr', 'number'],
  ['pexpire', 'number', '10000'],
  ['pttl', 'number'],
  ['exists', 'number'],
  ['type', 'number'],
  ['hset', 'hash', 'a', '1'],
  ['hmget', 'hash', 'a'],
  ['hgetall', 'hash'],
  ['hincrby', 'hash', 'a', '1'],
  ['lpush', 'list', 'a'],
  ['lrange', 'list', '0', '-1'],
  ['lrem', 'list', '0', 'b'],
  ['sadd', 'set', 'a'],
  ['smembers', 'set'],
  ['zadd', 'sorted', '1', 'a'],
  ['zrangebyscore', 'sorted', '0', '2'],
  ['bzpopmin', 'sorted', '1'],
  ['xadd', 'stream', '*', 'a', '1'],
  ['xtrim', 'stream', 'MAXLEN', '1'],
  ['publish', 'channel', '1'],
  ['unlink', 'list'],
  ['del', 'text'],
];

const suffixes = [...new Set(commands.map(([, suffix]) => suffix))].filter((suffix) => suffix !== 'channel');

const isForbidden = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOPERM');

/** Returns the names of the commands that the user may not do on keys and channels that begin with `key`. `subscriber` is used for nothing else. */
export const findForbiddenCommands = async (
  client: RedisClient,
  subscriber: RedisClient,
  key: string,
): Promise<string[]> => {
  const forbidden: string[] = [];
  const isAllowed = async (name: string, run: () => Promise<unknown>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      if (!isForbidden(error)) throw error;
      forbidden.push(name);
    }
  };
  for (const [command, suffix, ...args] of commands)
    await isAllowed(command, () => client.call(command, `${key}:${suffix}`, ...args));
  await isAllowed('eval', () => client.eval("return redis.call('time')", 1, `${key}:text`));
  await isAllowed('evalsha', () => client.evalsha('0'.repeat(40), 1, `${key}:text`).catch(ignoreUnknownScript));
  await isAllowed('pubsub', () => client.pubsub('NUMSUB', `${key}:channel`));
  // Connections to a cluster name themselves. Redis 6.2 counts all of CLIENT among the dangerous commands.
  await isAllowed('client|setname', () => client.call('client', 'setname', 'console-doctor'));
  await isAllowed('subscribe', async () => {
    await subscriber.subscribe(`${key}:channel`);
  });
  for (const suffix of suffixes) await client.del(`${key}:${suffix}`).catch(() => undefined);
  return forbidden;
};

const ignoreUnknownScript = (error: unknown): void => {
  if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
};
