// The pair of servers behind the service: PostgreSQL and Redis, those that the environment names or our own.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';
import { onStop } from './stopping.mjs';

/**
 * @typedef {object} Servers
 * @property {{ DATABASE_URL: string, MIGRATE_DATABASE_URL: string, REDIS_URL: string }} env
 * @property {import('./postgres.mjs').PostgresServer} [postgres] absent when DATABASE_URL names one
 * @property {import('./redis.mjs').RedisServer} [redis] absent when REDIS_URL names one
 */

/**
 * Starts what the environment does not name, both at the same time; stopping.mjs stops it.
 * @param {object} options
 * @param {string} options.dir
 * @param {boolean} options.durable
 * @returns {Promise<Servers>}
 */
export async function openServers({ dir, durable }) {
  const { DATABASE_URL, MIGRATE_DATABASE_URL, REDIS_URL } = process.env;
  // Settled and not all: when one fails, the other one must have been handed to onStop before everything stops.
  const [postgres, redis] = await Promise.allSettled([
    DATABASE_URL ? undefined : stopped(startPostgres({ dir: join(dir, 'postgres'), durable })),
    REDIS_URL ? undefined : stopped(startRedis({ dir: join(dir, 'redis'), appendonly: durable })),
  ]);
  if (postgres.status === 'rejected') throw postgres.reason;
  if (redis.status === 'rejected') throw redis.reason;
  return {
    env: {
      DATABASE_URL: postgres.value?.url ?? DATABASE_URL ?? '',
      MIGRATE_DATABASE_URL: postgres.value?.ownerUrl ?? (MIGRATE_DATABASE_URL || DATABASE_URL || ''),
      REDIS_URL: redis.value?.url ?? REDIS_URL ?? '',
    },
    postgres: postgres.value,
    redis: redis.value,
  };
}

/**
 * A folder that is deleted when all is stopped. Readable for the account that PostgreSQL may have to run as.
 * @param {string} parent
 * @param {string} name
 * @returns {Promise<string>}
 */
export async function throwAwayDir(parent, name) {
  mkdirSync(parent, { recursive: true });
  const dir = mkdtempSync(join(parent, `${name}-`));
  chmodSync(dir, 0o755);
  await onStop(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return dir;
}

/**
 * @template {{ stop: () => Promise<void> }} T
 * @param {Promise<T>} starting
 * @returns {Promise<T>}
 */
async function stopped(starting) {
  const server = await starting;
  await onStop(() => server.stop());
  return server;
}
