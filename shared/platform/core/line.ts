/**
 * Lines in which work that could overtake goes on in the order in which it came. Used for runs: by the workers that start them
 * and by the process with the app's socket.
 */
import { resolveWithin } from './wait.ts';

export interface Place {
  /** Resolves once all that entered before has passed, or has had the time to. */
  reached(): Promise<void>;
  /** Lets the next one go on. What never reached its turn leaves the line by it. */
  pass(): void;
}

export interface Line {
  enter(): Place;
}

/** Returns an empty line. Each place waits at most `waitMs` for those before it, as one of them may hang. */
export const createLine = (waitMs: number): Line => {
  let last = Promise.resolve();
  return {
    enter: () => {
      const before = last;
      let isReached = false;
      let pass: Place['pass'] = () => undefined;
      last = new Promise((resolve) => {
        pass = () => {
          resolve(isReached ? undefined : before);
        };
      });
      return {
        reached: async () => {
          await resolveWithin(waitMs, before, undefined);
          isReached = true;
        },
        pass: () => {
          pass();
        },
      };
    },
  };
};
