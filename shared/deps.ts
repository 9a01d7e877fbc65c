/** Composition root: everything that a process holds open, made once from the configuration and closed in reverse. */
import { openDirectory, type Directory } from './agents/directory.ts';
import { systemClock, type Clock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import { createLog, type Log } from './core/log.ts';
import { openDb, type Db } from './db/knex.ts';
import type { AppLink } from './applink/link.ts';
import { openLink } from './applink/redisLink.ts';
import { openHeldFlags, type HeldFlags } from './flags/held.ts';
import type { Bus } from './redis/bus.ts';
import { openRedis, type RedisLinks } from './redis/connect.ts';

export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly db: Db;
  readonly redis: RedisLinks;
  readonly bus: Bus;
  readonly directory: Directory;
  readonly link: AppLink;
  readonly flags: HeldFlags;
}

/** Opens PostgreSQL, Redis and the directory for the process part `part` (`api`, `workers`, `admin`). */
export const openDeps = async (config: Config, part: string, clock: Clock = systemClock): Promise<Deps> => {
  const log = createLog(config, part);
  const db = openDb({ url: config.databaseUrl, poolSize: config.poolSize, applicationName: `console-${part}` });
  const redis = openRedis({ url: config.redisUrl, prefix: config.redisPrefix, onError: (error) => log.debug({ err: error }, 'Redis is away') });
  try {
    const directory = await openDirectory({
      db,
      bus: redis.bus,
      clock,
      onError: (error) => log.warn({ err: error }, 'the directory could not be read'),
    });
    const link = openLink({ db, bus: redis.bus, clock, config, log });
    const flags = openHeldFlags({ db, bus: redis.bus, onError: (error) => log.debug({ err: error }, 'flags could not be read; they will be in a second') });
    return { config, clock, log, db, redis, bus: redis.bus, directory, link, flags };
  } catch (error) {
    await redis.close();
    await db.destroy();
    throw error;
  }
};

export const closeDeps = async ({ directory, link, flags, redis, db }: Deps): Promise<void> => {
  await flags.close();
  await link.close();
  await directory.close();
  await redis.close();
  await db.destroy();
};
