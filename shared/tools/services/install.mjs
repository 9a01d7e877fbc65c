// Installs the packages of package-lock.json when node_modules does not have them; the first step of every command.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { lockHolder, withLock } from './lock.mjs';
import { neededPackages, readPackages, writeInstallFolder } from './lockedPackages.mjs';
import { dataDir, root, toolsDir } from './paths.mjs';
import { linkLibraries } from './postgresBinary.mjs';
import { runProcess } from './processes.mjs';
import { say, StartFailure, took } from './say.mjs';

/** No install scripts: nothing here needs one, and npm 12 would ask about each. */
const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];

/** @typedef {import('./lockedPackages.mjs').Needs} Needs */

/**
 * @param {{ dev: boolean }} options whether the packages for development are needed too
 * @returns {Promise<void>}
 */
export async function install({ dev }) {
  const needs = { dev, traces: Boolean(process.env.OTEL_EXPORTER_OTLP_ENDPOINT) };
  if (isInstalled(needs)) return;
  await withLock(join(toolsDir, 'install.lock'), 'waiting for another process that installs the packages', async () => {
    if (isInstalled(needs)) return;
    const since = performance.now();
    const all = Object.keys(neededPackages(readPackages(root) ?? {}, needs)).length;
    const more = dev ? all - Object.keys(neededPackages(readPackages(root) ?? {}, { ...needs, dev: false })).length : 0;
    const those = more === 0 ? '' : `, ${more} of them for tests and development, which npm start does without`;
    say(`installing ${all} packages${those} (npm ci)…`);
    const clock = setInterval(() => say(`  still installing (${took(since)})`), 10_000);
    // A registry with addresses of another form, and npm's cache without the packages: npm finds out the addresses itself.
    const done = (await installBeside(needs)) ? undefined : await installInPlace();
    clearInterval(clock);
    if (done && done.code !== 0) throw new StartFailure(`npm ci failed:\n${done.output}`);
    say(`packages installed (${took(since)})`);
  });
}

/** Lets npm delete and make node_modules, of which a service that runs on it, its PostgreSQL above all, would miss files. */
async function installInPlace() {
  const running = lockHolder(join(dataDir(), 'start.lock'));
  if (running !== undefined && running !== process.pid)
    throw new StartFailure(
      `npm start runs here (process ${running}) on the packages that have to be replaced: stop it with Ctrl-C, then run this again.`,
    );
  return npm(['ci', '--include=dev', ...flags], root);
}

/**
 * Installs into a folder of its own that then takes the place of node_modules at once, as a service that runs on the packages
 * of this checkout, its PostgreSQL above all, opens files of them at any time.
 * @param {Needs} needs
 * @returns {Promise<boolean>} false when that is not possible here
 */
async function installBeside(needs) {
  const folder = join(toolsDir, 'packages');
  const made = join(folder, 'node_modules');
  const present = join(root, 'node_modules');
  const old = join(folder, 'old');
  try {
    writeInstallFolder(folder, readPackages(root) ?? {}, needs);
    // One thread for files: more of them wait for each other most of the time.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
    const { code } = await npm(['ci', '--include=dev', '--replace-registry-host=always', ...flags], folder, env);
    if (code !== 0) return false;
    linkLibraries(made);
    if (existsSync(present)) renameSync(present, old);
    try {
      renameSync(made, present);
    } catch (error) {
      if (existsSync(old)) renameSync(old, present);
      throw error;
    }
    return true;
  } catch {
    // node_modules is on a disk of its own.
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs the npm that started this process, if one did; else the one on PATH.
 * @param {string[]} args
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} [env]
 */
export function npm(args, cwd, env = process.env) {
  const own = process.env.npm_execpath;
  const command = own && basename(own) === 'npm-cli.js' && existsSync(own) ? [process.execPath, own] : ['npm'];
  return runProcess([...command, ...args], { cwd, env });
}

/**
 * Returns whether node_modules matches the lock. npm writes its own list there last: an interrupted install does not count,
 * an earlier plain `npm ci` does.
 */
function isInstalled(/** @type {Needs} */ needs) {
  const wanted = readPackages(root);
  const present = readPackages(join(root, 'node_modules'), '.package-lock.json');
  if (!wanted) throw new StartFailure('package-lock.json is missing or broken: restore it.');
  if (!present) return false;
  for (const [place, entry] of Object.entries(neededPackages(wanted, needs)))
    if (!present[place] && !entry.optional && !entry.devOptional) return false;
  return Object.entries(present).every(
    ([place, { version, integrity }]) => version === wanted[place]?.version && integrity === wanted[place]?.integrity,
  );
}
