/** Rolling restarts of a soak: each process ends in time with exit code 0 while the others serve. Used by soak.ts. */
import { pause } from '../chaos/support/pause.ts';
import type { Run } from '../chaos/support/run.ts';
import type { Unit } from '../chaos/support/unit.ts';
import { patience } from '../support/patience.ts';
import { atTimes } from './times.ts';

const outMs = 10_000;
/** Between two processes, for clients to find the way back. */
const betweenMs = 500;

/** Restarts processes one after the other. */
export const restartAll = async (run: Run, units: readonly Unit[]): Promise<void> => {
  for (const unit of units) {
    run.tell({ kind: 'terminate', forMs: 0 });
    const { ms, code, signal } = await unit.terminate();
    run.worst(`${unit.kind} out after ms`, ms);
    run.expect(
      code === 0 && ms <= outMs * patience,
      `${unit.name} ended with ${signal ?? String(code)} after ${String(Math.round(ms))} ms`,
    );
    await unit.start();
    await pause(betweenMs);
  }
};

/** A rolling restart of `units` at each of `times`. */
export const playRestarts = (run: Run, units: readonly Unit[], times: readonly number[]): Promise<void> =>
  atTimes(times, () => restartAll(run, units));
