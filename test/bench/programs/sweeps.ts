/** Runs each sweep by itself, on what the suite `size` has made, and reloads the directory. */
import { closeDeps, openDeps } from '../../../shared/deps.ts';
import { readConfig } from '../../../shared/platform/config/config.ts';
import { sweeps } from '../../../workers/sweeps/index.ts';
import { answerCalls } from '../ipc.ts';
import { median } from '../numbers.ts';

export interface SweepTime {
  readonly name: string;
  readonly everyMs: number;
  /** Median of its turns, in ms. */
  readonly ms: number;
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

/** Measures `turns` turns of each sweep, after one that does what there is to be done. */
const measure = async (turns: number): Promise<SweepTime[]> => {
  const deps = await openDeps(readConfig(), 'bench');
  try {
    for (const { run } of sweeps) await run(deps);
    const found: SweepTime[] = [];
    for (const { name, everyMs, run } of sweeps) {
      const took: number[] = [];
      for (let turn = 0; turn < turns; turn++) took.push(await timed(() => run(deps)));
      found.push({ name, everyMs, ms: median(took) });
    }
    return found;
  } finally {
    await closeDeps(deps);
  }
};

/** Returns ms from a change of a role to its being known: the median of `turns`. */
const reload = async (turns: number): Promise<number> => {
  const deps = await openDeps(readConfig(), 'bench');
  try {
    const took: number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      await deps.db.raw('update revisions set n = n + 1');
      took.push(await timed(() => deps.directory.refresh()));
    }
    return median(took);
  } finally {
    await closeDeps(deps);
  }
};

answerCalls({ measure, reload });
