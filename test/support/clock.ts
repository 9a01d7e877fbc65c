/** The clock of a test world: the time of the machine, moved ahead by as much as the test sets. */
import type { Clock } from '../../shared/platform/time/clock.ts';

export interface TestClock extends Clock {
  /** Moves the clock ahead by `ms`; due times that it passes are due. PostgreSQL's clock, by which leases end, stays. */
  advance(ms: number): void;
  /** Resolves as `work` does, for which the time stands still, however slow the machine is; then goes on from the machine's. */
  stopWhile<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves as `work` does, for which no two readings are the same time. */
  tickWhile<T>(work: () => Promise<T>): Promise<T>;
}

export const newTestClock = (): TestClock => {
  let aheadMs = 0;
  let stoppedAt: number | null = null;
  let tickMs = 0;
  return {
    now: () => {
      aheadMs += tickMs;
      return (stoppedAt ?? Date.now()) + aheadMs;
    },
    advance: (ms) => {
      aheadMs += ms;
    },
    stopWhile: async (work) => {
      stoppedAt = Date.now();
      try {
        return await work();
      } finally {
        stoppedAt = null;
      }
    },
    tickWhile: async (work) => {
      tickMs = 1;
      try {
        return await work();
      } finally {
        tickMs = 0;
      }
    },
  };
};
