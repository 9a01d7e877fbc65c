/** The clock of a test world: the time of the machine, moved ahead by as much as the test sets. */
import type { Clock } from '../../shared/platform/core/clock.ts';

export interface TestClock extends Clock {
  /** Moves the clock ahead by `ms`; due times that it passes are due. PostgreSQL's clock, by which leases end, stays. */
  advance(ms: number): void;
}

export const newTestClock = (): TestClock => {
  let aheadMs = 0;
  return {
    now: () => Date.now() + aheadMs,
    advance: (ms) => {
      aheadMs += ms;
    },
  };
};
