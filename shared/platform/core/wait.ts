/** Waits for a time, and for work no longer than a time; times between retries. */

/** Resolves after `ms`. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Returns the ms to wait after the `failures`th failure in a row: `firstMs`, doubled by each further one, at most `maxMs`. */
export const backoffMs = (failures: number, firstMs: number, maxMs = Number.POSITIVE_INFINITY): number =>
  Math.min(firstMs * 2 ** (failures - 1), maxMs);

/** Resolves with whether `work` has resolved within `ms`; rejects when it rejects within that time. */
export const settlesWithin = async (ms: number, work: Promise<unknown>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
};
