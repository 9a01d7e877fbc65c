// Finds a Redis to start: on PATH, fetched for this checkout, or as the last resort one written in JavaScript.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { aptPrograms, fetchedProgram, fetchProgram } from './aptPackages.mjs';
import { npm } from './install.mjs';
import { withLock } from './lock.mjs';
import { toolsDir } from './paths.mjs';
import { runProcess } from './processes.mjs';
import { say, StartFailure, took } from './say.mjs';

/**
 * @typedef {object} RedisBinary
 * @property {'redis' | 'javascript'} kind the second one supports neither files nor settings
 * @property {string[]} command
 * @property {Record<string, string>} env
 */

const loopbackOnly = new URL('./loopbackOnly.mjs', import.meta.url).href;

/** BullMQ needs 5 for its queues; 6.2 is what it is tested on. */
const oldest = [6, 2];

/** @returns {Promise<RedisBinary>} */
export async function findRedis() {
  const present = await installed();
  if (present) return present;
  return withLock(join(toolsDir, 'redis.lock'), 'waiting for another process that fetches Redis', async () => {
    const meanwhile = await installed();
    if (meanwhile) return meanwhile;
    say('Redis is not on PATH: fetching it for this checkout…');
    const since = performance.now();
    const trouble = await fetchProgram(aptPrograms.redis);
    const fetched = trouble === undefined ? await installed() : undefined;
    if (fetched) {
      say(`Redis fetched (${took(since)})`);
      return fetched;
    }
    return inJavaScript(trouble ?? 'the fetched program does not run here');
  });
}

/** @returns {Promise<RedisBinary | undefined>} */
async function installed() {
  for (const program of ['redis-server', 'valkey-server']) if (await works([program], {})) return redis([program], {});
  const fetched = fetchedProgram(aptPrograms.redis);
  if (!fetched) return undefined;
  if (await works([fetched.program], {})) return redis([fetched.program], {});
  // The system's libraries first, ours only when one is missing: mixed ones may not fit each other.
  const env = { LD_LIBRARY_PATH: fetched.libraries };
  return (await works([fetched.program], env)) ? redis([fetched.program], env) : undefined;
}

/** @returns {RedisBinary} */
const redis = (/** @type {string[]} */ command, /** @type {Record<string, string>} */ env) => ({
  kind: 'redis',
  command,
  env,
});

/**
 * @param {string[]} command
 * @param {Record<string, string>} env
 */
async function works(command, env) {
  const version = await runProcess([...command, '--version'], { env: { ...process.env, ...env } });
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec(version.stdout) ?? [];
  if (version.code !== 0 || !major) return false;
  const newer = Number(major) - (oldest[0] ?? 0) || Number(minor) - (oldest[1] ?? 0);
  return newer >= 0;
}

/**
 * @param {string} why
 * @returns {Promise<RedisBinary>}
 */
async function inJavaScript(why) {
  const home = join(toolsDir, 'js-redis-server');
  const program = join(home, 'node_modules/js-redis-server/dist/cli.js');
  if (!existsSync(program)) {
    mkdirSync(home, { recursive: true });
    const done = await npm(
      ['install', '--prefix', home, '--no-save', '--ignore-scripts', 'js-redis-server@0.3.0'],
      home,
    );
    if (done.code !== 0 || !existsSync(program)) {
      throw new StartFailure(
        `There is no Redis here (${why}). Install one: apt install redis-server, or brew install redis; or set REDIS_URL.`,
      );
    }
  }
  say(`WARNING: no Redis here (${why}). Using one written in JavaScript: SLOW, and it keeps nothing over a restart.`);
  say('WARNING: install a real one (apt install redis-server, brew install redis) or set REDIS_URL.');
  return { kind: 'javascript', command: [process.execPath, '--import', loopbackOnly, program], env: {} };
}
