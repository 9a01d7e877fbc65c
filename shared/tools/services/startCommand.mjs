// `npm start`: everything from a fresh clone to a running demo, in one terminal, until Ctrl-C.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildConsole } from './buildConsole.mjs';
import { buildSdk } from './buildSdk.mjs';
import { compilePrograms, endCompiler } from './compile.mjs';
import { greet, localBaseUrl, readAccess } from './greeting.mjs';
import { install } from './install.mjs';
import { tryLock } from './lock.mjs';
import { quietStep, step } from './node.mjs';
import { refuseForeignDatabase, saySources } from './outsideServers.mjs';
import { dataDir, root } from './paths.mjs';
import { holdPortFrom } from './ports.mjs';
import { isPrepared, rememberPrepared } from './prepared.mjs';
import { findRedis } from './redisBinary.mjs';
import { unitName, wantOnline, switchSampleApp, wantedOf } from './sampleApp.mjs';
import { pause, say, StartFailure, toText } from './say.mjs';
import { openServers, reserveServers } from './servers.mjs';
import { clearState, readState, writeState } from './state.mjs';
import { isStopping, onStop } from './stopping.mjs';
import { tail } from './tail.mjs';
import { keepRunning, startUnit } from './unit.mjs';

/** Returns whether the program runs in the foreground: in the background, reading the terminal would stop it. */
function isInForeground() {
  const asked = spawnSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
  const [own, foreground] = (asked.stdout ?? '').trim().split(/\s+/);
  return own !== undefined && own !== '' && own === foreground;
}

/**
 * @param {string} dir DATA_DIR
 * @returns {boolean} whether keys are read from this terminal
 */
function listenToKeys(dir) {
  if (!process.stdin.isTTY || !isInForeground()) return false;
  /** @type {Promise<void>} */
  let turn = Promise.resolve();
  const lines = createInterface({ input: process.stdin, terminal: false });
  process.stdin.on('error', () => lines.close());
  lines.on('line', (line) => {
    if (line.trim().toLowerCase() !== 'o') return;
    turn = turn.then(() => toggle(dir));
  });
  return true;
}

async function toggle(/** @type {string} */ dir) {
  const wanted = wantedOf(dir) === 'offline' ? 'online' : 'offline';
  try {
    await switchSampleApp(dir, wanted);
    say(`sample app: ${wanted}`);
  } catch (error) {
    say(toText(error));
  }
}

/** @typedef {import('./unit.mjs').Unit} Unit */

/** @returns {Promise<number>} never, unless it fails: it runs until a signal stops it */
export async function startCommand() {
  const since = performance.now();
  const dir = dataDir();
  const logs = join(dir, 'logs');
  mkdirSync(logs, { recursive: true });
  await lockOut(dir);
  // Redis may have to be fetched, which takes as long as the packages and needs none of them.
  await Promise.all([install({ dev: false }), process.env.REDIS_URL ? undefined : findRedis()]);
  await refuseForeignDatabase();
  await reserveServers(dir);

  const { port, release } = await takePort();
  await onStop(release);
  const baseUrl = `http://127.0.0.1:${port}`;
  saySources();
  // Only the API needs the console and the SDK: what the database needs does not wait for them.
  const built = Promise.all([buildConsole(), buildSdk()]);
  // A failure is thrown where it is awaited below, unless the start fails before.
  built.catch(() => undefined);
  const [servers] = await Promise.all([openServers({ dir, durable: true }), compilePrograms()]);
  const { MIGRATE_DATABASE_URL, ...urls } = servers.env;
  /** @type {NodeJS.ProcessEnv} */
  const env = {
    ...process.env,
    ...urls,
    PORT: String(port),
    DATA_DIR: dir,
    PUBLIC_URL: process.env.PUBLIC_URL || baseUrl,
  };
  // Only programs that change the schema get the owner's address.
  delete env.MIGRATE_DATABASE_URL;
  // The sample app invents the same past as the demo: both up to the same moment.
  const now = String(Date.now());
  // Of a database of others nothing is remembered.
  const ownUrl = servers.postgres?.ownerUrl;
  const publicUrl = env.PUBLIC_URL ?? baseUrl;
  const prepared = ownUrl !== undefined && readAccess(dir) !== undefined && (await isPrepared(dir, ownUrl, publicUrl));
  if (!prepared) {
    say('migrating…');
    await step('The migration', 'migrations/run.ts', { ...env, MIGRATE_DATABASE_URL });
    await step('Loading the demo', 'shared/tools/demo/load.ts', { ...env, MIGRATE_DATABASE_URL }, ['--now', now]);
  }

  await built;
  await endCompiler();
  say('starting the API and the workers…');
  /** @type {Map<string, Unit>} */
  const units = new Map();
  if (servers.postgres) units.set('PostgreSQL', servers.postgres);
  if (servers.redis) units.set('Redis', servers.redis);
  await release();
  const api = await startUnit({ name: 'API', file: 'api/main.ts', env, log: join(logs, 'api.log') });
  units.set('API', api);
  for (let n = 1; n <= workerCount(); n += 1) {
    units.set(
      `worker ${n}`,
      await startUnit({
        name: `worker ${n}`,
        file: 'workers/main.ts',
        env: withProbePort(env, n),
        log: join(logs, `worker-${n}.log`),
      }),
    );
  }
  await ready(baseUrl, api, join(logs, 'api.log'));
  const access = readAccess(dir);
  const app = 'test/sample-app/main.ts';
  if (existsSync(join(root, app)) && access) {
    // It stands for a customer's program, which gets only the service's address and its key.
    const { DATABASE_URL: _database, MIGRATE_DATABASE_URL: _owner, REDIS_URL: _redis, ...others } = process.env;
    const appEnv = {
      ...others,
      BASE_URL: localBaseUrl(access, baseUrl),
      APP_KEY: access.appKey,
      DATA_DIR: dir,
      SHOP_NOW: now,
    };
    wantOnline(dir);
    units.set(unitName, await startUnit({ name: unitName, file: app, env: appEnv, log: join(logs, 'sample-app.log') }));
  }

  if (access && !prepared) {
    await openDemo(dir, localBaseUrl(access, baseUrl));
    if (ownUrl !== undefined) await rememberPrepared(dir, ownUrl, publicUrl);
  }

  const changed = () => writeState(dir, { launcher: process.pid, baseUrl, env: servers.env, pids: pidsOf(units) });
  changed();
  await onStop(() => clearState(dir));
  const kept = [...units].map(([name, unit]) => keepRunning(name, unit, changed));
  const keys = units.has(unitName) && listenToKeys(dir);
  greet({ units, baseUrl, access, dir, since, keys });
  await Promise.all(kept);
  return 0;
}

/**
 * Opens the demo for the day, by its address on this machine: PUBLIC_URL may lead to a proxy that is not there yet.
 * @param {string} dir DATA_DIR
 * @param {string} baseUrl of the demo's environment
 */
async function openDemo(dir, baseUrl) {
  try {
    const env = { ...process.env, DATA_DIR: dir };
    await quietStep('Opening the demo', 'shared/tools/demo/open.ts', env, ['--url', baseUrl]);
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    throw new StartFailure(
      `${error.message}\nThe logs in ${join(dir, 'logs')} (api.log, worker-1.log) say why. npm start can be run again.`,
    );
  }
}

/** Takes the lock of the data folder: only one `npm start` may run on it. Throws StartFailure when another one does. */
async function lockOut(/** @type {string} */ dir) {
  const lock = tryLock(join(dir, 'start.lock'));
  if ('release' in lock) return onStop(() => lock.release());
  const running = readState(dir);
  throw new StartFailure(
    `It already runs here (process ${lock.heldBy}${running ? `, ${running.baseUrl}` : ', still starting'}). ` +
      'Stop it with Ctrl-C in its terminal, or start a second one with another DATA_DIR.',
  );
}

/** Takes the port of the API until it starts: another `npm start` at the same time takes the next one. */
async function takePort() {
  const wished = Number(process.env.PORT || 3000);
  if (!Number.isInteger(wished) || wished < 0 || wished > 65_535)
    throw new StartFailure('PORT is not valid. Example: PORT=3000');
  const held = await holdPortFrom(wished);
  if (held.port !== wished && wished !== 0) say(`port ${wished} is taken: using ${held.port}`);
  return held;
}

/**
 * Returns the environment of the nth worker: each has a port of its own, counted up from WORKER_PORT.
 * @param {NodeJS.ProcessEnv} env
 * @param {number} n from 1
 */
const withProbePort = (env, n) =>
  env.WORKER_PORT ? { ...env, WORKER_PORT: String(Number(env.WORKER_PORT) + n - 1) } : env;

/** Returns how many workers to start: two by default, so that one takes over when the other one is killed. */
function workerCount() {
  const count = Number(process.env.WORKERS || 2);
  if (!Number.isInteger(count) || count < 1 || count > 64)
    throw new StartFailure('WORKERS is not valid. Example: WORKERS=2');
  return count;
}

/**
 * @param {string} baseUrl
 * @param {Unit} api
 * @param {string} log
 */
async function ready(baseUrl, api, log) {
  let ended = false;
  void api.exited().then(() => (ended = true));
  let last = 'no answer';
  for (const until = Date.now() + 60_000; Date.now() < until && !isStopping(); await pause(50)) {
    if (ended) throw new StartFailure(`The API ended while it started:\n${tail(log, 20)}`);
    try {
      const answer = await fetch(`${baseUrl}/ready`, { signal: AbortSignal.timeout(2_000) });
      if (answer.status === 200) return;
      last = `${answer.status} ${await answer.text()}`;
    } catch {
      // Not listening yet.
    }
  }
  if (!isStopping()) throw new StartFailure(`The API is not ready after a minute: ${last}\n${tail(log, 20)}`);
}

const pidsOf = (/** @type {Map<string, Unit>} */ units) =>
  Object.fromEntries([...units].map(([name, unit]) => [name, unit.pid]));
