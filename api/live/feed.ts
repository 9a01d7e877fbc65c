/**
 * News of the streams: per environment with listeners a channel that hears Redis, and the newest position of every
 * environment. Redis is a hint: what isn't newer is dropped, a gap is read from the log, and the truth is looked at
 * every 2 s (every second while Redis is away).
 */
import { rows, statement } from '../../shared/platform/db/sql.ts';
import type { Deps } from '../../shared/deps.ts';
import type { Environment } from '../../shared/environments/definition.ts';
import { channels } from '../../shared/platform/redis/bus.ts';
import { Channel } from './channel.ts';
import type { StreamLog } from './log.ts';
import { headOf } from './offsets.ts';

const lookMs = 1000;
/** A subscription takes a moment; what was published before it stood is found by these. */
const firstLooksMs = [50, 150, 400, 1000];
/** With a lost message of nothing but counts, they are wrong for at most this many looks of 1 s. */
const countsEvery = 10;
/** A channel without listeners stays open for this long: they often come back. */
const lingerMs = 30_000;

const readPositions = statement('live.positions', 'select env, position from streams');

export interface Feed {
  /** The channel of an environment, in step with the log; `leave` it once for each `join`. */
  join(env: Environment): Promise<Channel>;
  leave(channel: Channel): void;
  readonly position: (env: Environment) => Promise<number> | number;
  channels(): readonly Channel[];
  close(): void;
}

interface Open {
  readonly channel: Channel;
  readonly unsubscribe: () => void;
  emptySince: number | null;
}

export const createFeed = (deps: Deps, log: StreamLog): Feed => {
  const { db, bus, directory } = deps;
  const open = new Map<number, Open>();
  const opening = new Map<number, Promise<Channel>>();
  const positions = new Map<number, number>();
  let looking = false;
  let looks = 0;
  let closed = false;

  const quietly = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => {
      deps.log.debug({ err: error }, 'the live stream could not read the database; it will try again');
    });
  };

  const look = async (channel: Channel): Promise<void> => {
    const { seen } = channel;
    const at = deps.clock.now();
    const { position } = await headOf(db, channel.env);
    await channel.look(position, seen, at);
  };

  const start = async (env: Environment): Promise<Channel> => {
    const channel = new Channel(deps, log, env);
    const unsubscribe = bus.subscribe(channels.live(env.id), (text) => {
      quietly(channel.hear(text));
    });
    try {
      await Promise.all([channel.counts.read(db, deps.clock.now()), headOf(db, env).then(({ position }) => channel.start(position))]);
    } catch (error) {
      unsubscribe();
      throw error;
    }
    channel.counts.told();
    open.set(env.id, { channel, unsubscribe, emptySince: null });
    for (const ms of firstLooksMs) {
      setTimeout(() => {
        if (open.get(env.id)?.channel === channel) quietly(look(channel));
      }, ms).unref();
    }
    return channel;
  };

  const channelOf = async (env: Environment): Promise<Channel> => {
    const known = open.get(env.id);
    if (known !== undefined) return known.channel;
    const starting = opening.get(env.id) ?? start(env).finally(() => opening.delete(env.id));
    opening.set(env.id, starting);
    return starting;
  };

  const shut = ({ channel, unsubscribe }: Open): void => {
    unsubscribe();
    open.delete(channel.envId);
  };

  const lookAll = async (): Promise<void> => {
    const at = deps.clock.now();
    const seen = new Map([...open.values()].map(({ channel }) => [channel.envId, channel.seen]));
    const found = await rows<{ env: number; position: number }>(db, readPositions);
    for (const { env, position } of found) {
      positions.set(env, position);
      const before = seen.get(env);
      const channel = open.get(env)?.channel;
      if (before !== undefined && channel !== undefined) quietly(channel.look(position, before, at));
    }
  };

  const tick = (): void => {
    const now = performance.now();
    for (const entry of open.values()) {
      if (entry.channel.users > 0) entry.emptySince = null;
      else if (now - (entry.emptySince ??= now) > lingerMs) shut(entry);
    }
    looks += 1;
    if (looking || (bus.up && looks % 2 === 1) || (open.size === 0 && positions.size === 0)) return;
    looking = true;
    quietly(lookAll().finally(() => {
      looking = false;
    }));
    if (bus.up && looks % countsEvery !== 0) return;
    for (const { channel } of open.values()) if (channel.users > 0) quietly(channel.readCounts());
  };
  const timer = setInterval(tick, lookMs);

  const forgetChanged = directory.onChange(() => {
    for (const { channel } of open.values()) channel.renew();
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
      const seen = open.get(env.id)?.channel.seen;
      if (known !== undefined || seen !== undefined) return Math.max(known ?? 0, seen ?? 0);
      return headOf(db, env).then(({ position }) => {
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
