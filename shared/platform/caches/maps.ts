/** Caches in a Map or WeakMap whose entries are made when they are first needed. */

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
