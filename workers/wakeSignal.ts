/** A wake signal that ends the sleep of a loop; a signal while the loop is awake ends its next sleep. Used by all loops here. */
import { backoffMs } from '../shared/platform/time/clock.ts';

interface WakeSignal {
  wake(): void;
  /** Resolves at the signal, after `ms` at the latest, and says whether it was the signal. One sleeper at a time. */
  wait(ms: number): Promise<boolean>;
}

export const createWakeSignal = (): WakeSignal => {
  let signalled = false;
  let wake: (() => void) | null = null;
  return {
    wake: () => {
      signalled = true;
      wake?.();
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          wake = null;
          resolve(signalled);
          signalled = false;
        };
        const timer = setTimeout(end, ms);
        wake = end;
        if (signalled) end();
      }),
  };
};

/** Something that runs until it is stopped; `stop` may be called twice and resolves when it has ended. */
export interface RunningService {
  stop(): Promise<void>;
}

/** Returns the ms that a loop waits after the `failures`th failure in a row: 100, 200 … up to 1 s. */
export const backoffAfter = (failures: number): number => backoffMs(failures, 100, 1000);
