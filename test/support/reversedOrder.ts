/** Runs the tests of each describe block last to first, which shows tests that need an earlier one: `npm test -- --require ./test/support/reversedOrder.ts test/http`. */
import type { Suite } from 'mocha';

const reverse = (suite: Suite): void => {
  suite.tests.reverse();
  suite.suites.reverse();
  suite.suites.forEach(reverse);
};

export const mochaHooks = {
  beforeAll(this: Mocha.Context): void {
    const { test } = this;
    if (test?.parent !== undefined) reverse(test.parent);
  },
};
