/** Which rows of a list are selected: one by one, in ranges, or everything that matches. Used by InboxPage. */
import { useCallback, useMemo, useRef, useState } from 'react';
import type { ItemQuery } from '../wire/queries.ts';

/** One row that is selected, or no more. */
export interface Toggle {
  readonly id: string;
  /** Selects everything from the last one that was selected. */
  readonly isRange: boolean;
}

export interface Selection {
  /** Those that are selected, of a whole list those that are loaded. */
  readonly ids: ReadonlySet<string>;
  /** Everything that matches this is selected, also what is not loaded; null: the ids alone. */
  readonly whole: ItemQuery | null;
  readonly toggle: (id: string, isRange: boolean) => void;
  /** Does several, one after the other. */
  readonly toggleEach: (toggles: readonly Toggle[]) => void;
  readonly selectWhole: () => void;
  readonly clear: () => void;
  /** Forgets, from now on, those that leave the list: they are being changed. */
  readonly settle: () => void;
}

const nothing: ReadonlySet<string> = new Set();

interface SelectionOptions {
  /** The list. */
  readonly all: readonly string[];
  readonly query: ItemQuery;
  /** Returns whether an item of the list still belongs to it. */
  readonly stays: (id: string) => boolean;
}

export const useSelection = ({ all, query, stays }: SelectionOptions): Selection => {
  const [chosen, setChosen] = useState(nothing);
  const [wanted, setWanted] = useState<ItemQuery | null>(null);
  const [isSettling, setSettling] = useState(false);
  const last = useRef<string | null>(null);
  // Another filter is another list.
  const whole = wanted === query ? wanted : null;
  const ids = useMemo(() => {
    if (whole !== null) return new Set(all.filter(stays));
    return isSettling ? new Set([...chosen].filter(stays)) : chosen;
  }, [whole, chosen, all, isSettling, stays]);
  const toggleEach = useCallback(
    (toggles: readonly Toggle[]) => {
      const next = new Set(ids);
      for (const { id, isRange } of toggles) {
        const from = last.current === null ? -1 : all.indexOf(last.current);
        const to = all.indexOf(id);
        last.current = id;
        if (isRange && from >= 0 && to >= 0)
          for (const each of all.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(each);
        else if (!next.delete(id)) next.add(id);
      }
      setChosen(next);
      setWanted(null);
      setSettling(false);
    },
    [all, ids],
  );
  const toggle = useCallback((id: string, isRange: boolean) => toggleEach([{ id, isRange }]), [toggleEach]);
  const selectWhole = useCallback(() => setWanted(query), [query]);
  const clear = useCallback(() => {
    setChosen(nothing);
    setWanted(null);
    setSettling(false);
  }, []);
  const settle = useCallback(() => setSettling(true), []);
  return { ids, whole, toggle, toggleEach, selectWhole, clear, settle };
};
