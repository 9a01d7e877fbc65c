// Which tests run beside which; used by testCommand.mjs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../shared/tools/services/paths.mjs';
import { StartFailure } from '../../shared/tools/services/say.mjs';
import { quickTests } from './quickTests.mjs';

const secondsFile = join(root, 'test/services/testSeconds.json');

/**
 * Tests that watch commands from their start to their end, or a browser, and none of which minds a busy machine: they run beside
 * all others. Folders and files.
 */
const patient = [
  'test/console/',
  ...[
    'admin',
    'commands',
    'demo',
    'doctor',
    'image',
    'noWrites',
    'oneFolder',
    'otherLanguage',
    'productPackages',
    'schemaGate',
    'sideBySide',
    'startOutside',
  ].map((name) => `test/flows/${name}.test.ts`),
  ...['command', 'package', 'tutorial', 'types'].map((name) => `test/sdk/${name}.test.ts`),
  'test/laws/migrations.test.ts',
];
/**
 * Tests that mostly wait for what they have killed, stopped or frozen to be relieved: they run beside the others from the beginning,
 * when those are such that depend on time least.
 */
const relieved = [
  'test/chaos/',
  'test/soak/',
  ...['alerts', 'loadBalancer', 'multiProcess', 'serversAway', 'traces'].map((name) => `test/flows/${name}.test.ts`),
];
/**
 * Folders whose tests depend on time least: they run in either lane, and first in that of the others, which have the machine to
 * themselves once the patient lane is over.
 */
const either = ['http', 'items', 'mcp', 'policies', 'specification'].map((folder) => `test/${folder}/`);
/** Seconds by which the patient lane is to end before the other. */
const quietAtTheEnd = 60;
/** Seconds of lint, format and types. */
const checksTake = 150;
/** Folders of what is no test of its own. */
const untested = ['test/bench/', 'test/sample-app/'];

/**
 * @typedef {object} Lane What runs at the same time as other lanes.
 * @property {string} name
 * @property {boolean} servers whether it has servers of its own
 * @property {boolean} checks whether it begins with lint, format and types
 * @property {string[]} files in the order in which they run
 */

/**
 * Returns the lanes of all tests; one when the servers are somebody else's, as one lane would empty the Redis of the other.
 * @returns {Lane[]}
 */
export function allLanes() {
  const missing = [...patient, ...relieved, ...either].find((place) => !existsSync(join(root, place)));
  if (missing) throw new StartFailure(`There is no ${missing} to be tested.`);
  const files = allFiles();
  if (process.env.DATABASE_URL || process.env.REDIS_URL) return [{ name: 'tests', servers: true, checks: true, files }];
  const [faults, others] = split(files, (file) => isIn(relieved, file));
  const [waiting, busy] = split(others, (file) => isIn(patient, file));
  const [shared, late] = split(busy, (file) => isIn(either, file));
  const secondsOf = readSeconds();
  const [early, beside] = share(shared, secondsOf, [secondsOf(late), secondsOf(waiting) + checksTake + quietAtTheEnd]);
  return [
    { name: 'tests', servers: true, checks: false, files: [...early, ...late] },
    { name: 'patient', servers: true, checks: true, files: [...beside, ...waiting] },
    { name: 'faults', servers: true, checks: false, files: faults },
  ];
}

/**
 * Returns the lanes of `npm run test:quick`: what needs no servers.
 * @returns {Lane[]}
 */
export const quickLanes = () => [
  { name: 'tests', servers: false, checks: false, files: quickTests(allFiles()) },
  { name: 'checks', servers: false, checks: true, files: [] },
];

/** Returns all test files, as paths from the root. */
const allFiles = () =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && !isIn(untested, file))
    .sort();

/**
 * Returns a function that sums up the seconds of files, as the whole suite measured them last (`UPDATE_SECONDS=1 npm test`). A file
 * that is newer takes as long as those of its folder on average.
 * @returns {(files: readonly string[]) => number}
 */
const readSeconds = () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what keepSeconds wrote
  const seconds = /** @type {Record<string, number>} */ (JSON.parse(readFileSync(secondsFile, 'utf8')));
  const mean = (/** @type {string} */ folder) => {
    const known = Object.keys(seconds).filter((file) => dirname(file) === folder);
    return known.reduce((sum, file) => sum + (seconds[file] ?? 0), 0) / Math.max(known.length, 1);
  };
  return (files) => files.reduce((sum, file) => sum + (seconds[file] ?? mean(dirname(file))), 0);
};

/**
 * Returns the files for two lanes that take so many seconds without them; the longest first, each goes where less is to be done.
 * @param {readonly string[]} files
 * @param {(files: readonly string[]) => number} secondsOf
 * @param {[number, number]} taken
 * @returns {[string[], string[]]} both in the order of the given files
 */
const share = (files, secondsOf, [one, other]) => {
  const toOther = new Set();
  const longestFirst = files.toSorted((a, b) => secondsOf([b]) - secondsOf([a]));
  for (const file of longestFirst) {
    if (one <= other) one += secondsOf([file]);
    else {
      other += secondsOf([file]);
      toOther.add(file);
    }
  }
  return split(files, (file) => !toOther.has(file));
};

/**
 * @param {readonly string[]} places
 * @param {string} file
 */
const isIn = (places, file) => places.some((place) => file.startsWith(place));

/**
 * @param {readonly string[]} files
 * @param {(file: string) => boolean} test
 * @returns {[string[], string[]]} those that pass, and the others
 */
const split = (files, test) => [files.filter(test), files.filter((file) => !test(file))];

/**
 * Keeps what a run of the whole suite measured.
 * @param {Record<string, number>} seconds by file
 */
export const keepSeconds = (seconds) => {
  const inOrder = Object.entries(seconds).sort(([a], [b]) => (a < b ? -1 : 1));
  const rounded = inOrder.map(([file, took]) => [file, Math.round(took)]);
  writeFileSync(secondsFile, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
};
