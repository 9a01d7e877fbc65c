// Installs the packages of package-lock.json when node_modules does not have them; the first step of every command.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withLock } from './lock.mjs';
import { root, toolsDir } from './paths.mjs';
import { runProcess } from './processes.mjs';
import { say, StartFailure, took } from './say.mjs';

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, dev?: boolean, devOptional?: boolean }>} Packages */

/**
 * @param {{ dev: boolean }} options whether the packages for development are needed too
 * @returns {Promise<void>}
 */
export async function install({ dev }) {
  if (isInstalled(dev)) return;
  await withLock(join(toolsDir, 'install.lock'), 'waiting for another process that installs the packages', async () => {
    if (isInstalled(dev)) return;
    const since = performance.now();
    say('installing the packages (npm ci)…');
    const clock = setInterval(() => say(`  still installing (${took(since)})`), 10_000);
    // No install scripts: nothing here needs one, and npm 12 would ask about each.
    const done = await npm(['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'], root);
    clearInterval(clock);
    if (done.code !== 0) throw new StartFailure(`npm ci failed:\n${done.output}`);
    say(`packages installed (${took(since)})`);
  });
}

/**
 * Runs the npm that started this process, if one did; else the one on PATH.
 * @param {string[]} args
 * @param {string} cwd
 */
export function npm(args, cwd) {
  const own = process.env.npm_execpath;
  const command = own && basename(own) === 'npm-cli.js' && existsSync(own) ? [process.execPath, own] : ['npm'];
  return runProcess([...command, ...args], { cwd });
}

/**
 * Returns whether node_modules matches the lock. npm writes its own list there last: an interrupted install does not count,
 * an earlier plain `npm ci` does.
 */
function isInstalled(/** @type {boolean} */ dev) {
  const wanted = packages(join(root, 'package-lock.json'));
  const present = packages(join(root, 'node_modules/.package-lock.json'));
  if (!wanted) throw new StartFailure('package-lock.json is missing or broken: restore it.');
  if (!present) return false;
  for (const [place, entry] of Object.entries(wanted)) {
    const found = present[place];
    if (place === '') continue;
    if (!found && !entry.optional && !entry.devOptional && (dev || !entry.dev)) return false;
    if (found && (found.version !== entry.version || found.integrity !== entry.integrity)) return false;
  }
  return Object.keys(present).every((place) => wanted[place]);
}

/**
 * @param {string} file
 * @returns {Packages | undefined}
 */
function packages(file) {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- npm has written the file
    return /** @type {{ packages?: Packages }} */ (JSON.parse(readFileSync(file, 'utf8'))).packages;
  } catch {
    return undefined;
  }
}
