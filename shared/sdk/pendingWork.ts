/** Counts pending work, so that the client can wait for its end before it closes. Used by connect.ts and outgoingQueue.ts. */

interface PendingWork {
  begin(): void;
  end(): void;
  /** Resolves when no work is pending. */
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
