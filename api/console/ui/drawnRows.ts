/**
 * Which rows of a list are drawn while it scrolls. All have one height, so that each place follows from the number of its row,
 * and nothing is measured. Used by VirtualRows.
 */
import { useEffect, useLayoutEffect, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';

/** As in tokens.css. */
export const rowPx = 56;
/** Rows that are drawn before they come into sight, and after they have left it: what is drawn costs in every frame. */
const [soonRows, goneRows] = [6, 1];

interface Sight {
  /** The number of the first row in sight. */
  readonly first: number;
  readonly rows: number;
  readonly isUpwards: boolean;
}

const sightOf = ({ scrollTop, clientHeight }: HTMLElement, known: Sight): Sight => {
  const first = Math.floor(scrollTop / rowPx);
  const rows = Math.ceil(clientHeight / rowPx) + 1;
  return first === known.first && rows === known.rows ? known : { first, rows, isUpwards: first < known.first };
};

/** Returns the first of the `count` rows that are drawn, and the end. */
export const useDrawnRows = (scroller: RefObject<HTMLElement | null>, count: number): readonly [number, number] => {
  const [{ first, rows, isUpwards }, setSight] = useState<Sight>({ first: 0, rows: 0, isUpwards: false });
  useLayoutEffect(() => {
    const place = scroller.current;
    if (place === null) return;
    const look = (): void => setSight((known) => sightOf(place, known));
    // Rows are there in the frame in which they come into sight.
    const scroll = (): void => flushSync(look);
    const sizes = new ResizeObserver(look);
    look();
    sizes.observe(place);
    place.addEventListener('scroll', scroll, { passive: true });
    return () => {
      sizes.disconnect();
      place.removeEventListener('scroll', scroll);
    };
  }, [scroller]);
  const [above, below] = isUpwards ? [soonRows, goneRows] : [goneRows, soonRows];
  const from = Math.max(0, Math.min(first, count) - above);
  return [from, Math.min(count, first + rows + below)];
};

/** Scrolls no further than it has to until a row is in sight; -1: none. */
export const useInSight = (scroller: RefObject<HTMLElement | null>, at: number): void => {
  useEffect(() => {
    const place = scroller.current;
    if (place === null || at < 0) return;
    const [top, end] = [at * rowPx, (at + 1) * rowPx];
    if (top < place.scrollTop) place.scrollTop = top;
    else if (end > place.scrollTop + place.clientHeight) place.scrollTop = end - place.clientHeight;
  }, [scroller, at]);
};
