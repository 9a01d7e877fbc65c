/** Lets a loop sleep until something rings or its time is up; a ring while it is awake is not lost. */
interface WakeSignal {
  wake(): void;
  /** Answers after `ms` at the latest. One sleeper at a time. */
  wait(ms: number): Promise<void>;
}

export const createWakeSignal = (): WakeSignal => {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    wake: () => {
      rung = true;
      wake?.();
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          wake = null;
          rung = false;
          resolve();
        };
        const timer = setTimeout(end, ms);
        wake = end;
        if (rung) end();
      }),
  };
};

/** Something that goes on until it is stopped; `stop` may be called twice and answers when it has ended. */
export interface RunningService {
  stop(): Promise<void>;
}

/** ms to wait after the `failures`th failure in a row of something that must go on: 100, 200 … up to 1 s. */
export const backoffAfter = (failures: number): number => Math.min(100 * 2 ** (failures - 1), 1000);
