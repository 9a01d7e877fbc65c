/**
 * New rows of the streams: per environment with listeners a channel that subscribes to Redis, and the newest position of every
 * environment. Redis is a hint: what isn't newer is dropped, a gap is read from the log, and the database is polled
 * every 2 s (every second while Redis is unavailable).
 */
import type { Deps } from '../../shared/deps.ts';
import type { Environment } from '../../shared/environments/definition.ts';
import { queryRows, statement } from '../../shared/platform/db/sql.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { EnvironmentChannel } from './channel.ts';
import type { StreamLog } from './log.ts';
import { readStreamHead } from './offsets.ts';

const pollMs = 1000;
/** A subscription takes a moment; what was published before it stood is found by these. */
const firstPollsMs = [50, 150, 400, 1000];
/** With a lost message of nothing but counts, they are wrong for at most this many looks of 1 s. */
const countsEveryPolls = 10;
/** A channel without listeners stays open for this long: they often come back. */
const idleChannelMs = 30_000;

const readPositions = statement('live.positions', 'select env, position from streams');

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
  const positions = new Map<number, number>();
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
    const { position } = await readStreamHead(db, channel.env);
    await channel.catchUpTo(position, seen, at);
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
        readStreamHead(db, env).then(({ position }) => channel.start(position)),
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
    const found = await queryRows<{ env: number; position: number }>(db, readPositions);
    for (const { env, position } of found) {
      positions.set(env, position);
      const before = seen.get(env);
      const channel = open.get(env)?.channel;
      if (before !== undefined && channel !== undefined) quietly(channel.catchUpTo(position, before, at));
    }
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
    for (const { channel } of open.values()) channel.reloadEnvironment();
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
      const seen = open.get(env.id)?.channel.newestPosition;
      if (known !== undefined || seen !== undefined) return Math.max(known ?? 0, seen ?? 0);
      return readStreamHead(db, env).then(({ position }) => {
        positions.set(env.id, Math.max(position, positions.get(env.id) ?? 0));
        return position;
      });
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
