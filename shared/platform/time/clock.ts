/**
 * The clock of the service, `deps.clock`: PostgreSQL's time (db/databaseClock.ts); tests set their own. Durations inside a process
 * use `performance.now()`, and waits the functions below.
 */

export interface Clock {
  /** Returns the time in ms since 1970 UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Resolves after `ms`. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Returns the ms to wait after the `failures`th failure in a row: `firstMs`, doubled by each further one, at most `maxMs`. */
export const backoffMs = (failures: number, firstMs: number, maxMs = Number.POSITIVE_INFINITY): number =>
  Math.min(firstMs * 2 ** (failures - 1), maxMs);

/** Returns a function that returns true at its first call, and again once `ms` have passed since the last true. */
export const createInterval = (ms: number): (() => boolean) => {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - last < ms) return false;
    last = now;
    return true;
  };
};

/** Resolves with what `work` resolves with, or with `late` after `ms`; rejects when it rejects within that time. */
export const resolveWithin = async <T, L>(ms: number, work: Promise<T>, late: L): Promise<T | L> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<L>((resolve) => {
    timer = setTimeout(resolve, ms, late);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

/** Resolves with whether `work` has resolved within `ms`; rejects when it rejects within that time. */
export const settlesWithin = (ms: number, work: Promise<unknown>): Promise<boolean> =>
  resolveWithin(
    ms,
    work.then(() => true),
    false,
  );
