// `npm test`: lint, types and all tests against servers that are thrown away; the last line counts them.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readOptions } from '../cli/options.mjs';
import { install } from './install.mjs';
import { show } from './node.mjs';
import { root } from './paths.mjs';
import { runProcess } from './processes.mjs';
import { say, StartFailure, took, toText } from './say.mjs';
import { openServers, throwAwayDir } from './servers.mjs';
import { stopAll, stoppedBySignal } from './stopping.mjs';

/** A run that takes longer ends as failed; the whole suite takes a fraction of this. */
const watchdogMs = 40 * 60_000;

/**
 * @param {string[]} args for mocha; files and folders among them run alone, without lint and types
 * @returns {Promise<number>} the exit code
 */
export async function testCommand(args) {
  const since = performance.now();
  const { words: files, wordsAt: isFile } = readOptions('test', args);
  const missing = files.find((file) => !file.includes('*') && !existsSync(resolve(root, file)));
  if (missing !== undefined) throw new StartFailure(`There is no ${missing} to be tested.`);
  await install({ dev: true });
  const dir = await throwAwayDir(tmpdir(), 'console-test');
  const checking = Promise.all(
    files.length > 0
      ? []
      : [check('lint', lint()), check('format', format), check('types', [bin('typescript/bin/tsc')])],
  );
  // Waits for both before a failure of one stops everything.
  const [servers, checks] = await Promise.allSettled([openServers({ dir, durable: false }), checking]);
  if (servers.status === 'rejected') throw servers.reason;

  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const passed of checks.status === 'fulfilled' ? checks.value : [false]) count[passed ? 'passed' : 'failed'] += 1;
  const tests = await mocha(
    args.map((arg, i) => (isFile.has(i) ? inFolder(arg) : arg)),
    files.length === 0,
    { ...process.env, ...servers.value.env },
    join(dir, 'counts.json'),
  );
  for (const key of /** @type {const} */ (['passed', 'failed', 'skipped'])) count[key] += tests[key];

  await stopAll();
  if (stoppedBySignal() !== undefined) return 1;
  if (count.skipped > 0) say(`${count.skipped} skipped`);
  say(`took ${took(since)}`);
  say(`${count.passed} passed, ${count.failed} failed`);
  return count.failed === 0 ? 0 : 1;
}

/** Returns the pattern for the tests of a folder; mocha's own looks for other kinds of files, and finds none. */
const inFolder = (/** @type {string} */ arg) =>
  statSync(resolve(root, arg), { throwIfNoEntry: false })?.isDirectory() === true ? join(arg, '**/*.test.ts') : arg;

/**
 * Runs mocha and returns what its reporter counted. A run that counted nothing, or that failed without a failed test, counts as one failure.
 * @param {string[]} args
 * @param {boolean} all
 * @param {NodeJS.ProcessEnv} env
 * @param {string} counts
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
async function mocha(args, all, env, counts) {
  const command = [process.execPath, bin('mocha/bin/mocha.js'), '--reporter', 'shared/tools/services/reporter.mjs'];
  if (all) command.push('--ignore', 'test/bench/**', '--ignore', 'test/sample-app/**', 'test/**/*.test.ts');
  let code = 1;
  try {
    code = await show(
      'mocha',
      [...command, ...args],
      { ...env, TEST_COUNTS: counts },
      { foreground: false, timeoutMs: watchdogMs },
    );
  } catch (error) {
    say(toText(error));
  }
  const counted = existsSync(counts)
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that the reporter wrote
      /** @type {{ passed: number, failed: number, skipped: number }} */ (JSON.parse(readFileSync(counts, 'utf8')))
    : { passed: 0, failed: 0, skipped: 0 };
  if (code !== 0 && counted.failed === 0) counted.failed = 1;
  return counted;
}

/**
 * @param {string} name
 * @param {string[]} command
 * @returns {Promise<boolean>}
 */
async function check(name, command) {
  const done = await runProcess([process.execPath, ...command], { cwd: root });
  say(done.code === 0 ? `${name}: ok` : `${name}: failed\n${done.output}`);
  return done.code === 0;
}

/** Runs oxlint with the folders named, as without them it reads node_modules too. */
function lint() {
  const folders = ['api', 'workers', 'shared', 'migrations', 'test'].filter((folder) => existsSync(join(root, folder)));
  return [bin('oxlint/bin/oxlint'), '--type-aware', '--type-check', ...folders];
}

const bin = (/** @type {string} */ path) => join(root, 'node_modules', path);

const format = [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'];
