/** Waiting for a condition: looked at often, given up with a sentence after a deadline. */
import { patience } from './patience.ts';

export const until = async <T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  ms = 10_000,
): Promise<T> => {
  const deadline = Date.now() + ms * patience;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`Not within ${String(ms * patience)} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
