/**
 * The pace of large bulks in a worker process: they have what the machine has while nobody else is at work, and make way while
 * people and agents change things. Used by workerProcess.ts and jobs/bulkChunk.ts.
 */
import { channels, type Bus } from '../shared/platform/redis/bus.ts';
import { sleep } from '../shared/platform/time/clock.ts';

/** ms after a signal for which others count as at work: longer than the time between two signals (api/middleware/call.ts). */
const atWorkMs = 600;
/** The longest pause, in ms. */
const pauseMs = 500;

export interface BulkPace {
  /**
   * Runs one statement of a large bulk: at once while nobody else is at work; else when no other one of this process is under way,
   * and after a pause as long as the last one took. Resolves and rejects as `work` does.
   */
  run(work: () => Promise<void>): Promise<void>;
  close(): void;
}

export const createBulkPace = (bus: Bus): BulkPace => {
  let atWorkUntil = 0;
  let pauseUntil = 0;
  let last: Promise<void> = Promise.resolve();
  const unsubscribe = bus.subscribe(channels.foreground, () => {
    atWorkUntil = performance.now() + atWorkMs;
  });
  const othersWork = (): boolean => performance.now() < atWorkUntil;

  const runInTurn = async (work: () => Promise<void>): Promise<void> => {
    if (othersWork()) await sleep(Math.max(0, pauseUntil - performance.now()));
    const startedAt = performance.now();
    try {
      await work();
    } finally {
      const now = performance.now();
      pauseUntil = now + Math.min(pauseMs, now - startedAt);
    }
  };
  return {
    run: (work) => {
      if (!othersWork()) return work();
      const turn = last.then(() => runInTurn(work));
      last = turn.catch(() => undefined);
      return turn;
    },
    close: unsubscribe,
  };
};
