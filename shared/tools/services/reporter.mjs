// Mocha's spec reporter, which also writes the counts for testCommand.mjs and reports a process that does not end.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** The time to close sockets; a process that lives longer has a leak. */
const leakMs = 15_000;

export default class CountingReporter extends Mocha.reporters.Spec {
  /**
   * @param {Mocha.Runner} runner
   * @param {Mocha.MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => {
      this.write(0);
      // Unreferenced: it fires only if something else keeps the process alive.
      setTimeout(() => {
        console.error(
          `\nThe tests are over, but the process does not end. Still open: ${process.getActiveResourcesInfo().join(', ')}`,
        );
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
      JSON.stringify({ passed: passes, failed: failures + leaks, skipped: pending }),
    );
  }
}
