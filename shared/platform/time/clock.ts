/** The clock of the service, `deps.clock`: PostgreSQL's time (db/databaseClock.ts); tests set their own. Durations inside a process use `performance.now()`. */

export interface Clock {
  /** Returns the time in ms since 1970 UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
