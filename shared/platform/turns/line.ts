/**
 * Keeps the order of arrival (first in, first out) of work that is prepared in parallel. Used for runs: by the workers that start
 * them and by the process with the app's socket.
 */
import { resolveWithin } from '../time/clock.ts';

export interface Place {
  /** Resolves once every earlier place has passed, or its time is over. */
  reached(): Promise<void>;
  /** Lets the next place go on. A place that was never reached leaves the line. */
  pass(): void;
}

export interface Line {
  enter(): Place;
}

/** Returns an empty line. A place waits at most `waitMs` for earlier ones, as one of them may hang. */
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
