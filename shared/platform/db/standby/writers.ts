/** The principals that have changed something lately, and when: their reads need a standby that is further than that. Used by standbys.ts. */

interface Writers {
  /** Notes that `owner` has changed something just now. */
  note(owner: string): void;
  /** Returns when `owner` changed something last; null: not within the time that is kept. */
  lastOf(owner: string): number | null;
}

/** Returns none yet. After `keepMs` a change is forgotten: every standby that serves reads has it by then. */
export const createWriters = (keepMs: number, now = (): number => performance.now()): Writers => {
  /** In the order of the times. */
  const times = new Map<string, number>();
  const forget = (): void => {
    const oldest = now() - keepMs;
    for (const [owner, at] of times) {
      if (at >= oldest) return;
      times.delete(owner);
    }
  };
  return {
    note: (owner) => {
      forget();
      times.delete(owner);
      times.set(owner, now());
    },
    lastOf: (owner) => {
      forget();
      return times.get(owner) ?? null;
    },
  };
};
