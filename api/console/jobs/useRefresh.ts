/** Reads the list of jobs again by itself. Used by JobsPage. */
import { useEffect, useRef, type RefObject } from 'react';

/** Intervals in ms; longer once many pages are open, each of which is read. */
const refreshMs = { few: 3_000, many: 15_000 } as const;
const fewPages = 2;

/** Returns whether rows would move under the pointer. The last row that was touched counts as under it for ever. */
const isUnderPointer = (place: HTMLElement | null): boolean =>
  window.matchMedia('(hover: hover)').matches && (place?.querySelector('.table:hover') ?? null) !== null;

/** Calls `read` every few seconds, except while nobody looks or rows are under the pointer; returns the ref of what holds the rows. */
export const useRefresh = (read: () => unknown, pages: number): RefObject<HTMLDivElement | null> => {
  const place = useRef<HTMLDivElement>(null);
  const everyMs = pages > fewPages ? refreshMs.many : refreshMs.few;
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (document.visibilityState === 'visible' && !isUnderPointer(place.current)) read();
    }, everyMs);
    return () => window.clearInterval(timer);
  }, [read, everyMs]);
  return place;
};
