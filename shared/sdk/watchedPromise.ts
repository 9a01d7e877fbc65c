/** Promises whose rejection nobody has to handle: what nobody looks at is reported instead. Used by connect.ts. */

/** A promise that knows whether its rejection is handled. `await`, `catch` and the like all call `then`. */
class WatchedPromise<T> extends Promise<T> {
  isWatched = false;

  /** What `then` returns is a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (typeof onRejected === 'function') this.isWatched = true;
    return super.then(onFulfilled, onRejected);
  }
}

/** Returns `promise`, whose rejection goes to `report`, and never ends the process, when nobody handles it. */
export const reportUnhandled = <T>(promise: Promise<T>, report: (error: unknown) => void): Promise<T> => {
  const watched = new WatchedPromise<T>((resolve, reject) => {
    promise.then(resolve, (error: unknown) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the same reason
      reject(error);
      // Node itself looks for a handler no earlier.
      setImmediate(() => {
        if (!watched.isWatched) report(error);
      });
    });
  });
  void Promise.prototype.then.call(watched, undefined, () => undefined);
  return watched;
};
