/**
 * New rows of the streams: per environment with listeners a channel that subscribes to Redis, and the newest position of every
 * environment. Redis is a hint: what isn't newer is dropped, a gap is read from the log, and the database is polled
 * every 2 s (every second while Redis is unavailable).
 */
import type { Environment } from '../../shared/app/manifest/definition.ts';
import type { Deps } from '../../shared/deps.ts';
import { queryRows, statement } from '../../shared/platform/db/sql.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { EnvironmentChannel } from './channel.ts';
import type { StreamLog } from './log.ts';
import { readEpochEnd, readStreamHead, type StreamHead } from './offsets.ts';

const pollMs = 1000;
/** A subscription takes a moment; what was published before it stood is found by these. */
const firstPollsMs = [50, 150, 400, 1000];
/** With a lost message of nothing but counts, they are wrong for at most this many looks of 1 s. */
const countsEveryPolls = 10;
/** A channel without listeners stays open for this long: they often come back. */
const idleChannelMs = 30_000;

const readPositions = statement(
  'live.positions',
  'select s.env, s.position, e.epoch from streams s join environments e on e.id = s.env',
);

export interface ChannelFeed {
  /** Returns the channel of an environment, in step with the log; `leave` it once for each `join`. */
  join(env: Environment): Promise<EnvironmentChannel>;
  leave(channel: EnvironmentChannel): void;
  readonly position: (env: Environment) => Promise<number> | number;
  channels(): readonly EnvironmentChannel[];
  close(): void;
}

interface OpenChannel {
  readonly channel: EnvironmentChannel;
  readonly unsubscribe: () => void;
  emptySince: number | null;
}

export const createFeed = (deps: Deps, log: StreamLog): ChannelFeed => {
  const { db, bus, directory } = deps;
  const open = new Map<number, OpenChannel>();
  const opening = new Map<number, Promise<EnvironmentChannel>>();
  const positions = new Map<number, StreamHead>();
  let looking = false;
  let looks = 0;
  let closed = false;

  const quietly = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => {
      deps.log.debug({ err: error }, 'the live stream could not read the database; it will try again');
    });
  };

  const look = async (channel: EnvironmentChannel): Promise<void> => {
    const { newestPosition: seen } = channel;
    const at = deps.clock.now();
    await channel.catchUpTo(await readStreamHead(db, channel.env), seen, at);
  };

  const begin = async (channel: EnvironmentChannel, env: Environment): Promise<void> => {
    const { epoch, position } = await readStreamHead(db, env);
    if (epoch !== env.epoch) {
      await directory.refresh();
      channel.env = directory.environmentById(env.id) ?? env;
    }
    channel.start(position);
  };

  const start = async (env: Environment): Promise<EnvironmentChannel> => {
    const channel = new EnvironmentChannel(deps, log, env);
    const unsubscribe = bus.subscribe(channels.live(env.id), (text) => {
      quietly(channel.receive(text));
    });
    try {
      await Promise.all([
        channel.counts.read(db, deps.clock.now()),
        channel.readApprovals(),
        channel.readApp(),
        begin(channel, env),
      ]);
    } catch (error) {
      unsubscribe();
      throw error;
    }
    channel.counts.markSent();
    open.set(env.id, { channel, unsubscribe, emptySince: null });
    for (const ms of firstPollsMs) {
      setTimeout(() => {
        if (open.get(env.id)?.channel === channel) quietly(look(channel));
      }, ms).unref();
    }
    return channel;
  };

  const channelOf = async (env: Environment): Promise<EnvironmentChannel> => {
    const known = open.get(env.id);
    if (known !== undefined) return known.channel;
    const starting = opening.get(env.id) ?? start(env).finally(() => opening.delete(env.id));
    opening.set(env.id, starting);
    return starting;
  };

  const shut = ({ channel, unsubscribe }: OpenChannel): void => {
    unsubscribe();
    open.delete(channel.envId);
  };

  const lookAll = async (): Promise<void> => {
    const at = deps.clock.now();
    const seen = new Map([...open.values()].map(({ channel }) => [channel.envId, channel.newestPosition]));
    const found = await queryRows<StreamHead & { env: number }>(db, readPositions);
    for (const { env, ...head } of found) {
      positions.set(env, head);
      const before = seen.get(env);
      const channel = open.get(env)?.channel;
      if (before !== undefined && channel !== undefined) quietly(channel.catchUpTo(head, before, at));
    }
  };

  const readPosition = async (env: Environment): Promise<number> => {
    const head = await readStreamHead(db, env);
    if (head.epoch !== env.epoch) return Math.max(0, await readEpochEnd(db, env.id, env.epoch));
    positions.set(env.id, head);
    return head.position;
  };

  const tick = (): void => {
    const now = performance.now();
    for (const entry of open.values()) {
      if (entry.channel.users > 0) entry.emptySince = null;
      else if (now - (entry.emptySince ??= now) > idleChannelMs) shut(entry);
    }
    looks += 1;
    if (looking || (bus.connected && looks % 2 === 1) || (open.size === 0 && positions.size === 0)) return;
    looking = true;
    quietly(
      lookAll().finally(() => {
        looking = false;
      }),
    );
    if (bus.connected && looks % countsEveryPolls !== 0) return;
    for (const { channel } of open.values()) {
      if (channel.users === 0) continue;
      quietly(channel.readCounts());
      quietly(channel.checkApp());
    }
  };
  const timer = setInterval(tick, pollMs);

  const forgetChanged = directory.onChange(() => {
    for (const { channel } of open.values()) if (channel.reloadEnvironment()) quietly(look(channel));
  });

  return {
    join: async (env) => {
      const channel = await channelOf(env);
      channel.users += 1;
      return channel;
    },
    leave: (channel) => {
      channel.users -= 1;
    },
    position: (env) => {
      const known = positions.get(env.id);
      const channel = open.get(env.id)?.channel;
      // Of another epoch they would be positions of lost messages.
      const read = known?.epoch === env.epoch ? known.position : -1;
      const seen = channel?.env.epoch === env.epoch ? channel.newestPosition : -1;
      return read >= 0 || seen >= 0 ? Math.max(read, seen) : readPosition(env);
    },
    channels: () => [...open.values()].map(({ channel }) => channel),
    close: () => {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      forgetChanged();
      for (const entry of open.values()) shut(entry);
    },
  };
};
