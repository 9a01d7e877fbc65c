/** Doing things at times that are spread over a soak. Used by those who play a part of it. */
import { pause } from '../chaos/support/pause.ts';

/** Does `work` at each of `times`, in ms from now, one after the other: one that takes long delays the next. */
export const atTimes = async (times: readonly number[], work: (n: number) => Promise<void>): Promise<void> => {
  const since = performance.now();
  for (const [n, time] of times.entries()) {
    await pause(Math.max(0, time - (performance.now() - since)));
    await work(n);
  }
};
