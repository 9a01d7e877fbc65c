/** Schedules what a channel sends: once at the end of each turn of the event loop, only so often, and to those who wait for it. */

/** Gathers what comes within one turn of the event loop, and calls back at the end of the turn. */
export class EventLoopBatch<T> {
  readonly #over: () => void;
  #gathered: T[] = [];
  #timer: NodeJS.Immediate | null = null;

  constructor(over: () => void) {
    this.#over = over;
  }

  add(more: readonly T[]): void {
    for (const one of more) this.#gathered.push(one);
    this.#timer ??= setImmediate(this.#over);
  }

  /** Returns everything that was added, and starts a new batch. */
  take(): T[] {
    if (this.#timer !== null) clearImmediate(this.#timer);
    this.#timer = null;
    const gathered = this.#gathered;
    this.#gathered = [];
    return gathered;
  }
}

export class WaitQueue {
  readonly #waiting = new Set<() => void>();

  /** Resolves at the next `wake`, after `ms`, or when the signal is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      this.#waiting.add(done);
    });
  }

  wakeAll(): void {
    for (const done of this.#waiting) done();
  }
}

/** Returns a function that calls `work` at once, or later when less than `ms` have passed since the last call. */
export const throttle = (ms: number, work: () => void): (() => void) => {
  let doneAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  const now = (): void => {
    timer = null;
    doneAt = performance.now();
    work();
  };
  return () => {
    if (timer !== null) return;
    const left = doneAt + ms - performance.now();
    if (left <= 0) now();
    else timer = setTimeout(now, left).unref();
  };
};
