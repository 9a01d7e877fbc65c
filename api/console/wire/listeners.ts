/** Those who follow something that changes. Used by what the page draws anew for: stores, notices, the live stream, and parts that are loaded later. */

interface Listeners {
  /** Returns the function that stops it. */
  subscribe(listener: () => void): () => void;
  tell(): void;
}

export const createListeners = (): Listeners => {
  const listeners = new Set<() => void>();
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell: () => {
      for (const listener of listeners) listener();
    },
  };
};
