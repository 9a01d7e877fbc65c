// `npm test`: lint, types and all tests against servers that are thrown away; the last line counts them. `npm run test:quick`:
// lint, types and the tests that need no servers.
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readOptions } from '../../shared/tools/cli/options.mjs';
import { install } from '../../shared/tools/services/install.mjs';
import { show } from '../../shared/tools/services/node.mjs';
import { root } from '../../shared/tools/services/paths.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { say, StartFailure, took, toText } from '../../shared/tools/services/say.mjs';
import { openServers, temporaryParent, throwAwayDir } from '../../shared/tools/services/servers.mjs';
import { stopAll, stoppedBySignal } from '../../shared/tools/services/stopping.mjs';
import { allLanes, keepSeconds, quickLanes } from './testLanes.mjs';

/** A run that takes longer ends as failed; the whole suite takes a fraction of this. */
const watchdogMs = 60 * 60_000;
/** How many times longer than promised something may take while lanes share the processors. */
const patience = 3;

/**
 * @param {string[]} args for mocha; files and folders among them run alone, without lint and types
 * @returns {Promise<number>} the exit code
 */
export async function testCommand(args) {
  const { words: files, wordsAt: isFile } = readOptions('test', args);
  const missing = files.find((file) => !file.includes('*') && !existsSync(resolve(root, file)));
  if (missing !== undefined) throw new StartFailure(`There is no ${missing} to be tested.`);
  if (files.length === 0) return runLanes(allLanes(), args, process.env.UPDATE_SECONDS === '1');
  const words = args.map((arg, i) => (isFile.has(i) ? inFolder(arg) : arg));
  return runLanes([{ name: 'tests', files: words, servers: true, checks: false }]);
}

/** @returns {Promise<number>} the exit code */
export const quickCommand = () => runLanes(quickLanes());

/**
 * Runs lanes side by side and prints what they counted.
 * @param {import('./testLanes.mjs').Lane[]} lanes
 * @param {string[]} options for mocha
 * @param {boolean} keepsSeconds whether testSeconds.json gets the seconds of the files
 * @returns {Promise<number>} the exit code
 */
async function runLanes(lanes, options = [], keepsSeconds = false) {
  const since = performance.now();
  await install({ dev: true });
  const dir = await throwAwayDir(temporaryParent(), 'console-test');
  // Waits for all before a failure of one stops everything.
  const opened = await Promise.allSettled(
    lanes.map(async ({ name, servers }) => (servers ? openServers({ dir: join(dir, name), durable: false }) : null)),
  );
  const servers = opened.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
  const ends = await Promise.all(
    lanes.map(async (lane, i) => {
      const checked = await check(lane.checks);
      // What the first one prints is seen as it comes, of the others when all are over.
      const output = i === 0 ? undefined : join(dir, `${lane.name}.txt`);
      const env = { TEST_PATIENCE: String(lanes.length > 1 ? patience : 1), ...process.env, ...servers[i]?.env };
      const mochaArgs = [...options, ...lane.files];
      const counted =
        lane.files.length > 0 && (await mocha(mochaArgs, { env, counts: join(dir, `${lane.name}.json`), output }));
      return { counts: counted ? [checked, counted] : [checked], took: took(since) };
    }),
  );
  for (const { name } of lanes.slice(1).filter(({ files }) => files.length > 0))
    await pipeline(createReadStream(join(dir, `${name}.txt`)), process.stdout, { end: false });

  /** @type {Counts} */
  const count = { passed: 0, failed: 0, skipped: 0, problems: [], seconds: {} };
  for (const each of ends.flatMap(({ counts }) => counts)) {
    Object.assign(count.seconds, each.seconds);
    for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) count[key] += each[key];
    count.problems.push(...each.problems);
  }

  await stopAll();
  if (stoppedBySignal() !== undefined) return 1;
  // Again at the end, as a log of thousands of lines is often kept only in part.
  for (const problem of count.problems) say(`failed: ${problem}\n`);
  if (keepsSeconds) keepSeconds(count.seconds);
  if (count.skipped > 0) say(`${count.skipped} skipped`);
  // Those that end long before the last one have too little to do: UPDATE_SECONDS=1 balances them.
  if (lanes.length > 1) say(lanes.map(({ name }, i) => `${name} took ${ends[i]?.took}`).join(', '));
  say(`took ${took(since)}`);
  say(`${count.passed} passed, ${count.failed} failed`);
  return count.failed === 0 ? 0 : 1;
}

/** Returns the pattern for the tests of a folder; mocha's own looks for other kinds of files, and finds none. */
const inFolder = (/** @type {string} */ arg) =>
  statSync(resolve(root, arg), { throwIfNoEntry: false })?.isDirectory() === true ? join(arg, '**/*.test.ts') : arg;

/** @typedef {{ passed: number, failed: number, skipped: number, problems: string[], seconds: Record<string, number> }} Counts */

/**
 * Runs mocha and returns what its reporter counted. A run that counted nothing, or that failed without a failed test, counts as one failure.
 * @param {string[]} args
 * @param {{ env: NodeJS.ProcessEnv, counts: string, output: string | undefined }} options the files of the counts and, unless it goes to ours, of the output
 * @returns {Promise<Counts>}
 */
async function mocha(args, { env, counts, output }) {
  const command = [process.execPath, bin('mocha/bin/mocha.js'), '--reporter', 'test/services/reporter.mjs'];
  let code = 1;
  /** @type {string[]} */
  const problems = [];
  try {
    code = await show(
      'mocha',
      [...command, ...args],
      { ...env, TEST_COUNTS: counts },
      { foreground: false, timeoutMs: watchdogMs, output },
    );
  } catch (error) {
    problems.push(toText(error));
  }
  const counted = existsSync(counts)
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that the reporter wrote
      /** @type {Counts} */ (JSON.parse(readFileSync(counts, 'utf8')))
    : { passed: 0, failed: 0, skipped: 0, problems: [], seconds: {} };
  if (code !== 0 && counted.failed === 0 && problems.length === 0)
    problems.push('mocha ended as failed without a failed test; its output says why.');
  counted.failed += problems.length;
  counted.problems.push(...problems);
  return counted;
}

/**
 * Runs lint, types and format, one after another as the tests run beside them; nothing when they are not wanted.
 * @param {boolean} wanted
 * @returns {Promise<Counts>}
 */
async function check(wanted) {
  /** @type {Counts} */
  const count = { passed: 0, failed: 0, skipped: 0, problems: [], seconds: {} };
  for (const [name, command] of wanted ? Object.entries(commandsOfChecks()) : []) {
    const done = await runProcess([process.execPath, ...command], { cwd: root });
    say(done.code === 0 ? `${name}: ok` : `${name}: failed\n${done.output}`);
    count[done.code === 0 ? 'passed' : 'failed'] += 1;
    if (done.code !== 0) count.problems.push(`${name}; see above.`);
  }
  return count;
}

/**
 * Returns the command of each check. Lint tells every fault of types as well, as it has to find the types anyway; it gets the folders
 * named, as without them it reads node_modules too.
 */
function commandsOfChecks() {
  const folders = ['api', 'workers', 'shared', 'migrations', 'test'].filter((folder) => existsSync(join(root, folder)));
  return {
    'lint and types': [bin('oxlint/bin/oxlint'), '--type-aware', '--type-check', ...folders],
    format: [bin('oxfmt/bin/oxfmt'), '--check'],
  };
}

const bin = (/** @type {string} */ path) => join(root, 'node_modules', path);
