/** Caches in the memory of a process: entries that are made when they are first needed, and values with weights, together at most a maximum. */

interface Entries<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** Returns the value of a key; without one, stores and returns what `create` returns. */
export const getOrCreate = <K, V>(entries: Entries<K, V>, key: K, create: () => V): V => {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const created = create();
  entries.set(key, created);
  return created;
};

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
