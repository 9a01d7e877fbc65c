// Mocha's spec reporter, which also writes the counts, what failed and how long each file took for testCommand.mjs, and reports a process that does not end.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { inspect } from 'node:util';
import Mocha from 'mocha';
import { root } from '../../shared/tools/services/paths.mjs';
import { openTimerPlaces, rememberShortTimers, rememberTimers } from './openTimers.mjs';

/** Longer than the longest wait of a test that has failed, such as one for a button; a process that lives on has a leak. */
const leakMs = 90_000;
/** Characters of a failed test's error that are repeated at the end. */
const problemMax = 2_000;

export default class CountingReporter extends Mocha.reporters.Spec {
  /** @type {Record<string, number>} by file, with what its suites do before and after their tests */
  seconds = {};

  /**
   * @param {Mocha.Runner} runner
   * @param {Mocha.MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    rememberTimers();
    let since = 0;
    const isWhole = (/** @type {Mocha.Suite} */ suite) => suite.parent?.root === true && suite.file !== undefined;
    runner.on('suite', (suite) => {
      if (isWhole(suite)) since = performance.now();
    });
    runner.on('suite end', (suite) => {
      if (!isWhole(suite)) return;
      const file = relative(root, suite.file ?? '').replaceAll('\\', '/');
      this.seconds[file] = (this.seconds[file] ?? 0) + (performance.now() - since) / 1000;
      // A run that is stopped has counted what it did until then.
      this.write(0);
    });
    runner.on('fail', (_test, /** @type {Error} */ error) => console.log(explain(error)));
    runner.once('end', () => {
      this.write(0);
      rememberShortTimers();
      // Unreferenced: it fires only if something else keeps the process alive.
      setTimeout(() => {
        console.error(
          `\nThe tests are over, but the process does not end. Still open: ${process.getActiveResourcesInfo().join(', ')}`,
        );
        for (const place of openTimerPlaces()) console.error(`A timer that was set ${place}`);
        this.write(1);
        process.exit(1);
      }, leakMs).unref();
    });
  }

  /** @param {number} leaks */
  write(leaks) {
    const { passes, failures, pending } = this.stats;
    if (!process.env.TEST_COUNTS) return;
    writeFileSync(
      process.env.TEST_COUNTS,
      JSON.stringify({
        passed: passes,
        failed: failures + leaks,
        skipped: pending,
        seconds: this.seconds,
        problems: [
          ...this.failures.map((test) => `${test.titlePath().join(' › ')}\n${explain(test.err)}`),
          ...(leaks > 0 ? ['The process did not end.'] : []),
        ],
      }),
    );
  }
}

/**
 * Returns a failed test's error with what caused it, cut to `problemMax` characters: `fetch failed` alone says nothing.
 * @param {Error | undefined} error
 */
const explain = (error) => {
  const cause = error?.cause === undefined ? '' : `\ncaused by ${inspect(error.cause)}`;
  return `${error?.stack ?? error?.message ?? 'It threw nothing.'}${cause}`.slice(0, problemMax);
};
