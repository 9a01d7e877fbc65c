/** Promises whose rejection nobody has to handle: what nobody looks at is reported instead. Used by connect.ts. */

/** Reports each reason that a promise of `reportUnhandled` was rejected with, once. */
const reportsByReason = new WeakMap<object, () => void>();

const isObjectReason = (reason: unknown): reason is object => typeof reason === 'object' && reason !== null;

/** Reports the reason of a promise that nobody handles. One that a handler of the app has thrown stays an unhandled rejection. */
const onUnhandled = (reason: unknown): void => {
  const report = isObjectReason(reason) ? reportsByReason.get(reason) : undefined;
  if (report !== undefined) report();
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what the app has thrown
  else void Promise.reject(reason);
};

/** A promise that knows whether its rejection is handled. `await`, `catch`, `finally` and the like all call `then`. */
class WatchedPromise<T> extends Promise<T> {
  /** Whether another promise was made of it, which bears the rejection from then on. */
  isWatched = false;

  /** What the inherited `then` returns is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isWatched = true;
    return watch(super.then(onFulfilled, onRejected));
  }
}

const watch = <T>(promise: Promise<T>): Promise<T> => {
  const watched = new WatchedPromise<T>((resolve, reject) => {
    promise.then(resolve, (reason: unknown) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the same reason
      reject(reason);
      // Node itself looks for a handler no earlier.
      setImmediate(() => {
        if (!watched.isWatched) onUnhandled(reason);
      });
    });
  });
  // Makes Node count the promise as handled; the `then` of this class would count as somebody's.
  void Promise.prototype.then.call(watched, undefined, () => undefined);
  return watched;
};

/**
 * Returns `promise`, whose rejection goes to `report`, once, and never ends the process when nobody handles it. That holds for
 * the promises that `then`, `catch` and `finally` make of it, too, unless they reject with something else.
 */
export const reportUnhandled = <T>(promise: Promise<T>, report: (error: unknown) => void): Promise<T> =>
  watch(
    promise.catch((reason: unknown) => {
      let isReported = false;
      if (isObjectReason(reason))
        reportsByReason.set(reason, () => {
          if (!isReported) report(reason);
          isReported = true;
        });
      throw reason;
    }),
  );
