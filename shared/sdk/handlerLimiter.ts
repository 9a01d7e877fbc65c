/** Bounds how many handlers run at once; the rest wait in order. A handler past its deadline gives its place away. */

export interface HandlerLimiter {
  /** Runs `work` when there is a place. `signal` aborts after `deadlineMs` of running, or when all is aborted. */
  run<T>(deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Tells all that run that nobody waits for them. */
  abort(): void;
}

/** `places`: how many run at once. */
export const createHandlerLimiter = (places: number): HandlerLimiter => {
  const waiting: (() => void)[] = [];
  const running = new Set<AbortController>();
  let busy = 0;

  const release = (): void => {
    const next = waiting.shift();
    // The place goes over to the next one, so that nobody can slip in between.
    if (next === undefined) busy -= 1;
    else next();
  };
  const enter = async (): Promise<void> => {
    if (busy >= places) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy += 1;
  };

  const run: HandlerLimiter['run'] = async (deadlineMs, work) => {
    await enter();
    const control = new AbortController();
    running.add(control);
    let held = true;
    const give = (): void => {
      if (held) release();
      held = false;
    };
    const timer = setTimeout(
      () => {
        control.abort();
        give();
      },
      Math.min(deadlineMs, 2_147_483_647),
    );
    // A handler that never ends is no reason for the process not to.
    timer.unref();
    try {
      return await work(control.signal);
    } finally {
      clearTimeout(timer);
      running.delete(control);
      give();
    }
  };

  return {
    run,
    abort: () => {
      for (const control of running) control.abort();
    },
  };
};
