/** A background action's work: ten steps that take a while and report their progress. */
import type { RunCall } from '../../shared/sdk/index.ts';
import type { Shop } from './shop.ts';

const steps = 10;

/** Of a run that was done before, the work is not done again. */
export const inSteps = async (
  shop: Shop,
  { run, progress, signal }: Pick<RunCall<unknown>, 'run' | 'progress' | 'signal'>,
  what: string,
): Promise<void> => {
  for (let step = 0; step < steps && !shop.isDone(run); step += 1) {
    progress(step / steps, `${what}: part ${String(step + 1)} of ${String(steps)}`);
    await new Promise((resolve) => setTimeout(resolve, shop.stepMs));
    signal.throwIfAborted();
  }
  progress(1);
};
