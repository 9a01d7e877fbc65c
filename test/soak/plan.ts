/** How much a soak of some minutes does: what it is asked for, and the rest in proportion to its time. Used by main.ts. */

export interface SoakPlan {
  readonly minutes: number;
  /** Changes a second. */
  readonly changes: number;
  readonly sockets: number;
  readonly seed: number;
  readonly bulks: number;
  /** Items of one bulk; there are twice as many items. */
  readonly bulkItems: number;
  readonly actions: number;
  /** Of flags, every second one with a guard that trips. */
  readonly ramps: number;
  readonly restarts: number;
}

/** The full form. */
const full = { minutes: 120, bulks: 20, actions: 2_000, ramps: 20, restarts: 12 } as const;

/** Returns the plan of a soak; the numbers of two hours, in proportion to the time that there is. */
export const planOf = ({
  minutes,
  changes,
  sockets,
  seed,
}: Pick<SoakPlan, 'minutes' | 'changes' | 'sockets' | 'seed'>): SoakPlan => {
  const part = (whole: number, least: number): number => Math.max(least, Math.round((whole * minutes) / full.minutes));
  return {
    minutes,
    changes,
    sockets,
    seed,
    bulks: part(full.bulks, 2),
    bulkItems: 5_000,
    actions: part(full.actions, 100),
    ramps: part(full.ramps, 2),
    restarts: part(full.restarts, 2),
  };
};

/** Returns when each of `count` things begins that are spread over `ms`, as much before the first as after the last. */
export const spread = (count: number, ms: number): number[] =>
  Array.from({ length: count }, (_, n) => ((n + 0.5) * ms) / count);
