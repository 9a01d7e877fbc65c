/** Bounds how many handlers run at once; the others wait in order. A handler past its deadline no longer counts. */

/** The longest time that `setTimeout` takes, in ms. */
const timerMaxMs = 2_147_483_647;

/** The reason of the signals that are aborted as the client closes. */
class ClientCloses extends DOMException {
  constructor() {
    super('The client closes.', 'AbortError');
  }
}

/** Returns whether a handler threw because the client closes: the reason of its signal, or an AbortError that was made of it. */
export const isStopped = ({ reason }: AbortSignal, error: unknown): boolean =>
  reason instanceof ClientCloses && (error === reason || (error instanceof Error && error.name === 'AbortError'));

export interface HandlerLimiter {
  /** Runs `work` as soon as it may run. `signal` aborts `deadlineMs` ms after the start, or with `abort`. Rejects as `work` does. */
  run<T>(deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts the signals of all running handlers, as the client closes. */
  abort(): void;
}

/** Returns a limiter that runs at most `concurrency` handlers at once. */
export const createHandlerLimiter = (concurrency: number): HandlerLimiter => {
  const waiting: (() => void)[] = [];
  const running = new Set<AbortController>();
  let busy = 0;

  const release = (): void => {
    const next = waiting.shift();
    // The waiting handler takes over the count, so that no other can start in between.
    if (next === undefined) busy -= 1;
    else next();
  };
  const enter = async (): Promise<void> => {
    if (busy >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy += 1;
  };

  const run: HandlerLimiter['run'] = async (deadlineMs, work) => {
    await enter();
    const control = new AbortController();
    running.add(control);
    let counts = true;
    const releaseOnce = (): void => {
      if (counts) release();
      counts = false;
    };
    const timer = setTimeout(
      () => {
        control.abort();
        releaseOnce();
      },
      Math.min(deadlineMs, timerMaxMs),
    );
    // A handler that never ends must not keep the process alive.
    timer.unref();
    try {
      return await work(control.signal);
    } finally {
      clearTimeout(timer);
      running.delete(control);
      releaseOnce();
    }
  };

  return {
    run,
    abort: () => {
      for (const control of running) control.abort(new ClientCloses());
    },
  };
};
