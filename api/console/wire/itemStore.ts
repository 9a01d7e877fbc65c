/**
 * The newest state of every item on screen, from answers and live messages alike: the higher version wins, and one's own
 * changes lie over it until the API has answered. Used by the lists, the detail and the changes.
 */
import { useCallback, useSyncExternalStore } from 'react';
import { type Arrivals, createArrivals } from './arrivals.ts';
import { createListeners } from './listeners.ts';
import type { Item } from './types.ts';

/** How many items that no list shows are remembered, as an answer under way may bring an older state of them. */
const recentMost = 2_000;

export interface ItemStore {
  /** Takes over what an answer brought, unless something newer is known. */
  put(items: readonly Item[]): void;
  /** Takes over a live message. */
  hear(item: Item): void;
  /** Takes over a claim, which leaves the version as it is. */
  hearClaim(id: string, claim: Item['claim']): void;
  get(id: string): Item | undefined;
  /** Forgets items that are not among these and that nothing on screen shows. */
  keepOnly(ids: ReadonlySet<string>): void;
  /** Shows `part` over the item until the returned function is called. */
  overlay(id: string, part: Partial<Item>): () => void;
  subscribe(id: string, listener: () => void): () => void;
  /** Calls the listener when any item is another than before. */
  subscribeAll(listener: () => void): () => void;
  /** How often items became others. */
  changes(): number;
  /** The things that live messages brought. */
  readonly arrivals: Omit<Arrivals<Item>, 'hear'>;
}

export const createItemStore = (): ItemStore => {
  const items = new Map<string, Item>();
  const arrivals = createArrivals<Item>(recentMost);
  const overlays = new Map<string, Partial<Item>[]>();
  const shown = new Map<string, Item>();
  const listeners = new Map<string, Set<() => void>>();
  const all = createListeners();
  let changes = 0;

  const tell = (id: string): void => {
    shown.delete(id);
    changes += 1;
    for (const listener of listeners.get(id) ?? []) listener();
    all.tell();
  };
  const keep = (item: Item): void => {
    const known = items.get(item.id);
    if (known !== undefined && known.version >= item.version) return;
    items.set(item.id, item);
    tell(item.id);
  };

  return {
    put: (given) => {
      for (const item of given) {
        const heard = arrivals.of(item.id)?.value;
        keep(heard !== undefined && heard.version > item.version ? heard : item);
      }
    },
    hear: (item) => {
      arrivals.hear(item);
      if (items.has(item.id)) keep(item);
    },
    hearClaim: (id, claim) => {
      const known = items.get(id);
      if (known === undefined) return;
      items.set(id, { ...known, claim });
      tell(id);
    },
    get: (id) => {
      const item = items.get(id);
      const over = overlays.get(id);
      if (item === undefined || over === undefined) return item;
      const known = shown.get(id);
      if (known !== undefined) return known;
      const merged = over.reduce<Item>((below, part) => ({ ...below, ...part }), item);
      shown.set(id, merged);
      return merged;
    },
    keepOnly: (ids) => {
      for (const id of items.keys())
        if (!ids.has(id) && !listeners.has(id) && !overlays.has(id)) {
          items.delete(id);
          shown.delete(id);
        }
    },
    overlay: (id, part) => {
      overlays.set(id, [...(overlays.get(id) ?? []), part]);
      tell(id);
      return () => {
        const left = (overlays.get(id) ?? []).filter((each) => each !== part);
        if (left.length === 0) overlays.delete(id);
        else overlays.set(id, left);
        tell(id);
      };
    },
    subscribe: (id, listener) => {
      const set = listeners.get(id) ?? new Set();
      listeners.set(id, set.add(listener));
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(id) === set) listeners.delete(id);
      };
    },
    subscribeAll: all.subscribe,
    changes: () => changes,
    arrivals,
  };
};

/** Returns an item as it is now, with one's own changes. */
export const useItem = (store: ItemStore, id: string): Item | undefined =>
  useSyncExternalStore(
    useCallback((listener) => store.subscribe(id, listener), [store, id]),
    () => store.get(id),
  );

/** Draws a list anew when any item is another than before: one listener costs less than one for each row that scrolls by. */
export const useItems = (store: ItemStore): number => useSyncExternalStore(store.subscribeAll, store.changes);
