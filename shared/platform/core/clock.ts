/** The one clock: epoch milliseconds. Everything that asks for the time asks `deps.clock`. */

export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
