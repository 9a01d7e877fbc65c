// The servers behind the service, PostgreSQL and Redis: those that the environment names, or servers of the data
// folder that the launcher's commands start.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { waitForLock } from './lock.mjs';
import { ownPrefix } from './outsideServers.mjs';
import { startPostgres } from './postgres.mjs';
import { startRedis } from './redis.mjs';
import { onStop } from './stopping.mjs';

/**
 * @typedef {object} Servers
 * @property {{ DATABASE_URL: string, MIGRATE_DATABASE_URL: string, REDIS_URL: string, REDIS_PREFIX?: string }} env
 * @property {import('./postgres.mjs').PostgresServer | undefined} postgres undefined when DATABASE_URL names one
 * @property {import('./redis.mjs').RedisServer | undefined} redis undefined when REDIS_URL names one
 */

/**
 * Returns whether the data folder has a database.
 * @param {string} dir DATA_DIR
 */
export const hasDatabase = (dir) => existsSync(join(dir, 'postgres', 'data', 'PG_VERSION'));

/**
 * Returns whether a command works on the data folder, or one has ended there without releasing it.
 * @param {string} dir DATA_DIR
 */
export const isReserved = (dir) => existsSync(join(dir, 'servers.lock'));

/**
 * Locks the data folder's servers for this process until everything is stopped: two processes that initialise or start
 * a server on the same data at once break each other's. Called before `openServers` by the commands that work on DATA_DIR.
 * @param {string} dir DATA_DIR
 * @param {() => boolean} [isNeedless] true ends the wait, when another process serves the data
 * @returns {Promise<boolean>} false when the wait ended without them
 */
export async function reserveServers(dir, isNeedless) {
  const waiting = 'waiting for another command that works on this data';
  const lock = await waitForLock(join(dir, 'servers.lock'), waiting, isNeedless);
  if (lock) await onStop(() => lock.release());
  return lock !== undefined;
}

/**
 * Starts the servers that the environment does not name, both at the same time; stopping.mjs stops them.
 * @param {object} options
 * @param {string} options.dir
 * @param {boolean} options.durable
 * @returns {Promise<Servers>}
 */
export async function openServers({ dir, durable }) {
  const { DATABASE_URL, MIGRATE_DATABASE_URL, REDIS_URL } = process.env;
  // Settled and not all: when one fails, the other one must be registered with onStop before everything stops.
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
      ...ownPrefix(dir, process.env),
    },
    postgres: postgres.value,
    redis: redis.value,
  };
}

const sharedMemory = '/dev/shm';
const GB = 1024 ** 3;

/**
 * Returns the folder for data that is thrown away: in memory where there is plenty, as making a database is making files, which takes
 * a disk ten times as long; else the one for temporary files, also where TMPDIR names it.
 * @returns {string}
 */
export function temporaryParent() {
  if (process.env.TMPDIR || !existsSync(sharedMemory) || totalmem() < 8 * GB) return tmpdir();
  const { bavail, bsize } = statfsSync(sharedMemory);
  return bavail * bsize >= 4 * GB ? sharedMemory : tmpdir();
}

/**
 * Makes a folder that is deleted when everything is stopped. Readable for the account that PostgreSQL may have to run as.
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
