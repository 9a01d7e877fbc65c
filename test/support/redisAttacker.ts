/** Somebody with a client of the service's Redis: sees every command, hears every channel, writes what he likes. */
import { Redis } from 'ioredis';

/** A message as it went through Redis. */
export interface HeardMessage {
  readonly channel: string;
  readonly bytes: Buffer;
}

export interface RedisAttacker {
  readonly redis: Redis;
  /** Each command that others sent, with its arguments. */
  readonly commands: readonly (readonly string[])[];
  readonly heard: readonly HeardMessage[];
  publish(channel: string, message: string | Buffer): Promise<number>;
  /** Everything that is stored, as texts: names and contents. */
  stored(): Promise<string[]>;
  /** From then on nothing is added to `commands` and `heard`. */
  stopListening(): void;
  close(): Promise<void>;
}

export const openRedisAttacker = async (url: string, prefix: string): Promise<RedisAttacker> => {
  const redis = new Redis(url);
  const ears = new Redis(url);
  const watcher = await redis.monitor();
  const commands: string[][] = [];
  const heard: HeardMessage[] = [];
  watcher.on('monitor', (_time: string, args: string[]) => {
    commands.push(args);
  });
  ears.on('pmessageBuffer', (_pattern: string, channel: Buffer, bytes: Buffer) => {
    heard.push({ channel: channel.toString(), bytes });
  });
  await ears.psubscribe(`${prefix}:*`);
  const stopListening = (): void => {
    watcher.disconnect();
    ears.disconnect();
  };
  return {
    redis,
    commands,
    heard,
    publish: (channel, message) => redis.publish(channel, message),
    stored: async () => {
      const texts: string[] = [];
      for (const key of await redis.keys('*')) texts.push(key, (await redis.dumpBuffer(key))?.toString('latin1') ?? '');
      return texts;
    },
    stopListening,
    close: async () => {
      stopListening();
      redis.disconnect();
    },
  };
};
