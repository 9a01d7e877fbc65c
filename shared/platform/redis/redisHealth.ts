/**
 * Logs and counts in the metrics of a process whether Redis answers, and which databases' processes use its prefix, as two
 * installations with one prefix take each other's jobs; made by shared/deps.ts.
 */
import { createHash } from 'node:crypto';
import { Gauge } from 'prom-client';
import { parseClusterUrl } from '../config/configValues.ts';
import type { Db } from '../db/knex.ts';
import { systemSql } from '../db/serverState.ts';
import type { Log } from '../log/log.ts';
import { platformRegistry } from '../log/metrics.ts';
import { describeTlsRefusal } from '../log/refusals.ts';
import { createInterval } from '../time/clock.ts';
import { redisKeys } from './bus.ts';
import type { RedisClient } from './client.ts';
import { type RedisConnections, testWrite } from './connect.ts';

/** ms after which an installation that is not noted again is not there any more; three times as long as between two notes. */
const siteMs = 90_000;

/** Returns a digest of the database, the same after a failover; null where the role may not ask for it. */
export const readSite = async (db: Db): Promise<string | null> => {
  try {
    // Without a name: doctor asks through pools that may not know prepared statements.
    const { rows } = await db.raw<{ rows: { name: string }[] }>(
      `select ${systemSql} || '/' || current_database() as name`,
    );
    return createHash('sha256')
      .update(rows[0]?.name ?? '')
      .digest('base64url')
      .slice(0, 22);
  } catch (error) {
    // Insufficient privilege: nothing but a hint is lost.
    if (error instanceof Error && 'code' in error && error.code === '42501') return null;
    throw error;
  }
};

/** Notes at the present time of Redis that a process of the installation uses the prefix; `key` is that of `redisKeys.sites`. */
const noteSite = async (client: RedisClient, key: string, site: string): Promise<void> => {
  const [seconds] = await client.time();
  const now = Number(seconds) * 1_000;
  await client.zadd(key, now, site);
  await client.zremrangebyscore(key, '-inf', now - siteMs);
  await client.pexpire(key, siteMs);
};

/** Returns the installations that were noted within `siteMs` before `now`, by the clock of Redis. */
export const readSites = (client: RedisClient, key: string, now: number): Promise<string[]> =>
  client.zrangebyscore(key, now - siteMs, '+inf');

const upGauge = new Gauge({
  name: 'console_redis_up',
  help: '1 while Redis answers this process and takes its writes, 0 while it does not.',
  registers: [platformRegistry],
});

/** ms between two looks at the connection. */
const lookEveryMs = 500;
/** ms between two writes, of the key by which `/ready` goes too. */
const writeEveryMs = 1_000;
/** Writes in a row that have to fail: one alone may have waited for a process that had much to do. */
const failedWritesMax = 2;
/** ms between two lines in the log while Redis is unavailable. */
const logEveryMs = 60_000;
/** ms that a new process waits for its first connection before it calls Redis unavailable without an error. */
const connectMs = 3_000;

/** Returns the address without name and password. */
const describeAddress = (url: string): string => {
  const cluster = parseClusterUrl(url);
  if (cluster === null) return new URL(url).host;
  return cluster.nodes.map(({ host, port }) => `${host}:${String(port)}`).join(',');
};

/** Returns what Redis refuses, which an operator has to mend; null: nothing, or nothing that is known. */
const describeRefusal = (error: Error): string | null => {
  if (/^(Ready check failed: )?(WRONGPASS|NOAUTH)|invalid password/i.test(error.message))
    return 'it refuses the name or the password of REDIS_URL';
  if (error.message.startsWith('NOPERM')) return 'the user of REDIS_URL lacks a right';
  return describeTlsRefusal(error);
};

/** Returns what Redis refuses, or its or the system's own words. */
const describeError = (error: Error): string => {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return describeRefusal(error) ?? code ?? error.message.slice(0, 200);
};

interface RedisHealth {
  /** Takes the errors of all connections. */
  readonly onError: (error: Error) => void;
  /** Watches the connections until they are closed, and notes there that `site` uses them; returns them. */
  watch(redis: RedisConnections, site: string | null): RedisConnections;
}

interface Writes {
  /** Returns whether Redis takes writes, as far as is known. */
  succeed(): boolean;
  /** Writes, unless a write has no answer yet. */
  next(): void;
}

/** Returns the writes of a process by which it knows that Redis takes them; `onRefused` gets what Redis says of one that it refuses. */
const createWrites = (redis: RedisConnections, site: string | null, onRefused: (error: Error) => void): Writes => {
  const isNoteDue = createInterval(siteMs / 3);
  let failed = 0;
  let isWriting = false;
  const write = async (): Promise<void> => {
    await testWrite(redis);
    if (site !== null && isNoteDue()) await noteSite(redis.command, redis.key(redisKeys.sites), site);
  };
  const onError = (error: unknown): void => {
    failed += 1;
    if (error instanceof Error && error.name === 'ReplyError') onRefused(error);
  };
  return {
    succeed: () => failed < failedWritesMax,
    next: () => {
      if (isWriting) return;
      isWriting = true;
      void write()
        .then(() => {
          failed = 0;
        }, onError)
        .finally(() => {
          isWriting = false;
        });
    },
  };
};

/** Returns the health of the Redis at `url`. An outage is one line at once and one each minute; its end is one. */
export const createRedisHealth = (log: Log, url: string): RedisHealth => {
  const address = describeAddress(url);
  const startedAt = performance.now();
  let lastError: Error | null = null;
  /** Whether to log the present outage now; null while Redis is available. */
  let isDue: (() => boolean) | null = null;
  let isUp = (): boolean => false;

  const reportOutage = (): void => {
    upGauge.set(0);
    isDue ??= createInterval(logEveryMs);
    if (!isDue()) return;
    const reason = lastError === null ? 'it does not answer' : describeError(lastError);
    log.warn({ redis: address, reason }, 'Redis is unavailable');
  };
  const reportReturn = (): void => {
    upGauge.set(1);
    lastError = null;
    if (isDue !== null) log.info({ redis: address }, 'Redis is available again');
    isDue = null;
  };
  const look = (): void => {
    if (isUp()) reportReturn();
    else if (lastError !== null || performance.now() - startedAt >= connectMs) reportOutage();
  };

  return {
    onError: (error) => {
      log.debug({ err: error }, 'a Redis connection failed');
      lastError = error;
      if (!isUp()) reportOutage();
    },
    watch: (redis, site) => {
      const writes = createWrites(redis, site, (error) => {
        lastError = error;
      });
      isUp = () => redis.bus.connected && writes.succeed();
      const isWriteDue = createInterval(writeEveryMs);
      const timer = setInterval(() => {
        look();
        if (redis.bus.connected && isWriteDue()) writes.next();
      }, lookEveryMs);
      timer.unref();
      const close = (): Promise<void> => {
        clearInterval(timer);
        isUp = () => true;
        return redis.close();
      };
      return { ...redis, close, refusal: () => (lastError === null ? null : describeRefusal(lastError)) };
    },
  };
};
