// Starts and stops a Redis of our own; used by the launcher, and by tests that stop Redis.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { askLine, freePort } from './ports.mjs';
import { dieWithParent, start } from './processes.mjs';
import { findRedis } from './redisBinary.mjs';
import { pause, StartFailure } from './say.mjs';
import { tail } from './tail.mjs';

/**
 * @typedef {object} RedisServer
 * @property {string} url
 * @property {number} port the same for the server's whole life
 * @property {number} pid of the running process; changes with a restart
 * @property {() => Promise<void>} stop cleanly; with `appendonly` nothing is lost
 * @property {() => Promise<void>} kill sends SIGKILL, as a crash would
 * @property {() => Promise<void>} restart stops it if it runs, then starts it on the same data and port
 * @property {() => Promise<{ code: number | null, signal: NodeJS.Signals | null }>} exited resolves when the present process has ended
 */

/**
 * Starts a server on `dir`, which is made at the first call.
 * @param {object} options
 * @param {string} options.dir keeps the data and the log
 * @param {number} [options.port] a free one when absent
 * @param {boolean} [options.appendonly] keeps an append-only file, written to disk each second; true when absent
 * @param {Record<string, string>} [options.settings] further ones, as in redis.conf
 * @returns {Promise<RedisServer>} once it answers
 */
export async function startRedis({ dir: given, port: wished, appendonly = true, settings = {} }) {
  const dir = resolve(given);
  const log = resolve(dir, 'redis.log');
  mkdirSync(dir, { recursive: true });
  const binary = await findRedis();
  const port = wished ?? (await freePort());
  const command =
    binary.kind === 'javascript'
      ? [...binary.command, '--port', String(port)]
      : [...binary.command, ...redisFlags(dir, port, appendonly, settings)];

  const up = async () => {
    const output = openSync(log, 'a');
    try {
      const env = { ...process.env, ...binary.env };
      const child = await start({ name: 'Redis', command: dieWithParent(command, 'SIGTERM'), cwd: dir, output, env });
      // Redis replies "LOADING" while it reads its file.
      while (child.alive()) {
        if ((await askLine(port, 'PING\r\n'))?.startsWith('+PONG') && child.alive()) return child;
        await pause(20);
      }
    } finally {
      closeSync(output);
    }
    throw new StartFailure(`Redis did not start:\n${tail(log, 20)}`);
  };

  let child = await up();
  const stop = () => child.stop({ signal: 'SIGTERM', graceMs: 15_000 });
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid;
    },
    stop,
    kill: () => child.stop({ signal: 'SIGKILL' }),
    restart: async () => {
      await stop();
      child = await up();
    },
    exited: () => child.exited,
  };
}

/**
 * @param {string} dir
 * @param {number} port
 * @param {boolean} appendonly
 * @param {Record<string, string>} settings
 * @returns {string[]}
 */
function redisFlags(dir, port, appendonly, settings) {
  const flags = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    save: '',
    appendonly: appendonly ? 'yes' : 'no',
    appendfsync: 'everysec',
    // BullMQ's keys are no cache: losing one loses a job's wake-up.
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
    ...settings,
  };
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
}
