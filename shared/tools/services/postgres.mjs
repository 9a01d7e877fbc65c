// Starts and stops a PostgreSQL of our own; used by the launcher, and by tests that stop the database.
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { commandLine } from './identity.mjs';
import { freePort } from './ports.mjs';
import { findPostgres } from './postgresBinary.mjs';
import { appRole, databaseName, initialise, ownerRole, passwords, prepare } from './postgresCluster.mjs';
import { dieWithParent, runProcess, start } from './processes.mjs';
import { pause, StartFailure } from './say.mjs';
import { tail } from './tail.mjs';
import { userMode } from './userMode.mjs';

// The settings that our PostgreSQL servers run with, and why; used by postgres.mjs.
const MB = 1024 * 1024;

/**
 * @param {object} options
 * @param {number} options.port
 * @param {boolean} options.durable false for servers that are thrown away: no waiting for the disk
 * @param {boolean} options.lz4 whether this build can compress its log with lz4
 * @param {Record<string, string>} options.settings win over ours
 * @returns {string[]} arguments for `postgres`
 */
function postgresFlags({ port, durable, lz4, settings }) {
  const all = { ...common(port), ...(durable ? lasting(lz4) : throwAway), ...settings };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** @param {number} port */
const common = (port) => ({
  port: String(port),
  listen_addresses: '127.0.0.1',
  // No socket file: its path may be longer than 107 bytes, and its folder not writable.
  unix_socket_directories: '',
  // One API, two workers and tools use some 60; tests open one pool for each database.
  max_connections: '200',
  // Short statements only: compiling one costs more than running it.
  jit: 'off',
});

/** @param {boolean} lz4 */
const lasting = (lz4) => ({
  shared_buffers: `${Math.round(sharedBuffers() / MB)}MB`,
  max_wal_size: '4GB',
  wal_compression: lz4 ? 'lz4' : 'on',
  checkpoint_completion_target: '0.9',
  // On solid-state disks a random page costs about as much as the next one.
  random_page_cost: '1.1',
});

const throwAway = {
  // In its own folder, so that a server that was killed leaves nothing elsewhere.
  dynamic_shared_memory_type: 'mmap',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  random_page_cost: '1.1',
};

/** Returns an eighth of the memory, between 256 MB and 1 GB: more leaves too little to the other processes of one machine. */
function sharedBuffers() {
  return Math.min(Math.max(totalmem() / 8, 256 * MB), 1024 * MB);
}

/**
 * @typedef {object} PostgresServer
 * @property {string} url of the database for the API and the workers (role `console_app`)
 * @property {string} ownerUrl of the same database for its owner, a superuser: migrations, template databases
 * @property {number} port the same for the server's whole life
 * @property {number} pid of the running postmaster; changes with a restart
 * @property {(mode?: 'fast' | 'immediate') => Promise<void>} stop 'fast' disconnects everybody, 'immediate' leaves crash recovery to the next start
 * @property {() => Promise<void>} kill sends SIGKILL, which leaves crash recovery to the next start
 * @property {() => Promise<void>} restart stops it if it runs, then starts it on the same data and port
 * @property {() => Promise<{ code: number | null, signal: NodeJS.Signals | null }>} exited resolves when the present process has ended
 */

/**
 * Starts a server on `dir`, which is made at the first call.
 * @param {object} options
 * @param {string} options.dir keeps the data, the log and the passwords
 * @param {number} [options.port] a free one when absent
 * @param {boolean} [options.durable] true when absent; false for data that is thrown away
 * @param {Record<string, string>} [options.settings] further `postgres -c` settings
 * @returns {Promise<PostgresServer>} once it accepts connections
 */
export async function startPostgres({ dir: given, port: wished, durable = true, settings = {} }) {
  const dir = resolve(given);
  const data = resolve(dir, 'data');
  const log = resolve(dir, 'postgres.log');
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const versionFile = resolve(data, 'PG_VERSION');
  const binary = await findPostgres(existsSync(versionFile) ? Number(readFileSync(versionFile, 'utf8')) : undefined);
  const mode = await userMode(dir, binary.postgres);
  await initialise({ dir, binary, mode, durable });
  await endEarlier(data);

  const lz4 =
    durable &&
    (
      await runProcess(
        [...mode.prefix, binary.postgres, '-D', data, '-c', 'wal_compression=lz4', '-C', 'wal_compression'],
        { user: mode.user, cwd: '/' },
      )
    ).code === 0;
  const launch = async (/** @type {number} */ port) => {
    const command = [binary.postgres, '-D', data, ...postgresFlags({ port, durable, lz4, settings })];
    const output = openSync(log, 'a');
    try {
      // SIGINT makes PostgreSQL shut down fast and cleanly.
      return await start({
        name: 'PostgreSQL',
        command: [...mode.prefix, ...dieWithParent(command, 'SIGINT')],
        cwd: '/',
        output,
        deathSignal: 'SIGINT',
        user: mode.user,
      });
    } finally {
      closeSync(output);
    }
  };
  const up = async (/** @type {number} */ port) => {
    // After a SIGKILL its orphans hold the shared memory for a moment, and a start meanwhile is refused.
    for (const until = Date.now() + 20_000; ; await pause(100)) {
      const child = await launch(port);
      if (await isReady(child, data)) return child;
      await child.stop({ signal: 'SIGQUIT' });
      const said = tail(log, 20);
      if (Date.now() > until || !/shared memory|lock file/.test(said))
        throw new StartFailure(`PostgreSQL did not start:\n${said}`);
    }
  };

  const port = wished ?? (await freePort());
  let child = await up(port);
  const { owner, app } = passwords(dir);
  const stop = (/** @type {'fast' | 'immediate'} */ how = 'fast') =>
    child.stop({ signal: how === 'fast' ? 'SIGINT' : 'SIGQUIT', graceMs: 15_000 });
  try {
    await prepare(address(ownerRole, owner, port, 'postgres'), app);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: address(appRole, app, port, databaseName),
    ownerUrl: address(ownerRole, owner, port, databaseName),
    port,
    get pid() {
      return child.pid;
    },
    stop,
    kill: () => child.stop({ signal: 'SIGKILL' }),
    restart: async () => {
      await stop();
      child = await up(port);
    },
    exited: () => child.exited,
  };
}

/**
 * @param {string} role
 * @param {string} password hexadecimal, so nothing needs escaping
 * @param {number} port
 * @param {string} database
 */
const address = (role, password, port, database) => `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;

/** Returns whether the server accepts connections, by the 8th line of its pid file, which pg_ctl waits for too. */
async function isReady(/** @type {import('./processes.mjs').Child} */ child, /** @type {string} */ data) {
  while (child.alive()) {
    const [pid, , , , , , , status] = pidFile(data);
    if (Number(pid) === child.pid && status?.trim() === 'ready') return true;
    await pause(20);
  }
  return false;
}

/** @param {string} data */
function pidFile(data) {
  try {
    return readFileSync(resolve(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Ends a server that an earlier launcher left on this data; deletes a pid file whose number another process has now. */
async function endEarlier(/** @type {string} */ data) {
  const pid = Number(pidFile(data)[0]);
  if (!pid || commandLine(pid) === '') return;
  if (!commandLine(pid).includes(data)) return rmSync(resolve(data, 'postmaster.pid'), { force: true });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGQUIT'])) {
    process.kill(pid, signal);
    for (let waited = 0; waited < 10_000 && commandLine(pid).includes(data); waited += 50) await pause(50);
    if (!commandLine(pid).includes(data)) return undefined;
  }
  throw new StartFailure(`Another PostgreSQL (process ${pid}) works on ${data} and does not stop.`);
}
