/** Waiting for a condition: looked at often, given up with a sentence after a deadline. */
import { performance } from 'node:perf_hooks';
import { patience } from './patience.ts';

/**
 * Returns what `look` finds. `what` names the condition, or says what there is in its place once the deadline is over. The
 * deadline is by a clock that nobody sets.
 */
export const until = async <T>(
  what: string | (() => string),
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  ms = 10_000,
): Promise<T> => {
  const deadline = performance.now() + ms * patience;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > deadline)
      throw new Error(`Not within ${String(ms * patience)} ms: ${typeof what === 'string' ? what : what()}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
