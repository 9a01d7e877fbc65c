/** The present, for relative times: all of them move together, every half minute. */
import { useSyncExternalStore } from 'react';

const everyMs = 30_000;
let present = Date.now();
const listeners = new Set<() => void>();
let timer = 0;

const subscribe = (listener: () => void): (() => void) => {
  if (listeners.size === 0) {
    present = Date.now();
    timer = window.setInterval(() => {
      present = Date.now();
      for (const each of listeners) each();
    }, everyMs);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
};

export const useNow = (): number => useSyncExternalStore(subscribe, () => present);
