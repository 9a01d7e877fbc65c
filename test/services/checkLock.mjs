// Checks that package-lock.json can be installed on every machine; called by .ci/run before anything is installed from it.
// A registry may be a partial mirror: npm then writes a lock without some optional packages, and `npm ci` refuses
// that lock on every machine (EUSAGE). An address in the lock would tie all clones to one registry.
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @typedef {{ dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>, resolved?: string, integrity?: string, link?: boolean }} Entry */

/**
 * Returns the faults of a parsed lock file, as sentences; none if it can be installed everywhere.
 * @param {{ packages: Record<string, Entry> }} lock
 * @returns {string[]}
 */
export function lockFaults(lock) {
  const faults = [];
  for (const [place, entry] of Object.entries(lock.packages)) {
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      if (!isFound(lock.packages, place, name))
        faults.push(`${place || 'the project'} needs ${name}, which the lock lacks`);
    }
    if (entry.resolved !== undefined) faults.push(`${place} names an address in "resolved"`);
    if (place !== '' && !entry.link && entry.integrity === undefined) faults.push(`${place} has no "integrity"`);
  }
  return faults;
}

/**
 * Returns whether Node finds a package: in the node_modules of the folder that imports it, or of a folder above.
 * @param {Record<string, Entry>} packages
 * @param {string} place
 * @param {string} name
 */
function isFound(packages, place, name) {
  for (let at = place; at !== '';) {
    if (packages[`${at}/node_modules/${name}`]) return true;
    const up = at.lastIndexOf('/node_modules/');
    at = up < 0 ? '' : at.slice(0, up);
  }
  return packages[`node_modules/${name}`] !== undefined;
}

if (process.argv[1] && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url))) {
  const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- npm has written the file
  const lock = /** @type {{ packages: Record<string, Entry> }} */ (JSON.parse(text));
  const faults = lockFaults(lock);
  for (const fault of faults) console.error(`package-lock.json: ${fault}`);
  if (faults.length > 0) {
    console.error(
      'Pin versions whose optional packages are all there, delete package-lock.json and node_modules, run npm install.',
    );
    process.exit(1);
  }
  console.log(`package-lock.json: ${Object.keys(lock.packages).length} entries, complete`);
}
