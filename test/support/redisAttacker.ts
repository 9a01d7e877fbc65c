/** Somebody with a client of the service's Redis: sees every command, hears every channel, writes what he likes. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
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

/** Returns the arguments in a line of MONITOR: `+<time> [<database> <address>] "get" "a\"b"`. */
const argumentsOf = (line: string): string[] =>
  [...line.slice(line.indexOf(']')).matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(/\\(["\\])/g, '$1'),
  );

/**
 * Adds to `commands` what anybody sends to the server, until it is closed. Not by ioredis: its monitor takes a command that
 * another client sends at the same moment for the answer to one of its own.
 */
const watchCommands = async (url: string, commands: string[][]): Promise<{ close(): void }> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // A server that is stopped resets it.
  socket.on('error', () => undefined);
  const lines = createInterface({ input: socket });
  const ready = once(lines, 'line');
  socket.write('MONITOR\r\n');
  expect(await ready).to.deep.equal(['+OK']);
  lines.on('line', (line) => commands.push(argumentsOf(line)));
  return { close: () => socket.destroy() };
};

export const openRedisAttacker = async (url: string, prefix: string): Promise<RedisAttacker> => {
  const redis = new Redis(url);
  const ears = new Redis(url);
  const commands: string[][] = [];
  const heard: HeardMessage[] = [];
  const watcher = await watchCommands(url, commands);
  ears.on('pmessageBuffer', (_pattern: string, channel: Buffer, bytes: Buffer) => {
    heard.push({ channel: channel.toString(), bytes });
  });
  await ears.psubscribe(`${prefix}:*`);
  const stopListening = (): void => {
    watcher.close();
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
