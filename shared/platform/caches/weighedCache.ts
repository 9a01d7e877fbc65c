/** A cache whose values have weights, together at most a maximum: what was used least recently leaves first. Used by appSchemas.ts and linearPattern.ts. */

interface WeighedCache<T> {
  get(key: string): T | undefined;
  /** Keeps a value; one that alone weighs more than the maximum is not kept. */
  set(key: string, value: T, weight: number): void;
  /** The weight of what is kept. */
  readonly weight: number;
}

export const createWeighedCache = <T>(weightMax: number): WeighedCache<T> => {
  const kept = new Map<string, { readonly value: T; readonly weight: number }>();
  let sum = 0;
  const drop = (key: string): void => {
    sum -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  };
  return {
    get: (key) => {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      // A map keeps the order of insertion.
      kept.delete(key);
      kept.set(key, found);
      return found.value;
    },
    set: (key, value, weight) => {
      drop(key);
      if (weight > weightMax) return;
      kept.set(key, { value, weight });
      sum += weight;
      for (const oldest of kept.keys()) {
        if (sum <= weightMax) return;
        drop(oldest);
      }
    },
    get weight() {
      return sum;
    },
  };
};
