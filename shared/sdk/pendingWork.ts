/** Counts what is under way, for whoever waits for the end of all of it before the client closes. */

interface PendingWork {
  begin(): void;
  end(): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export const createPendingWork = (): PendingWork => {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    begin: () => {
      count += 1;
    },
    end: () => {
      count -= 1;
      if (count > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    idle: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
};
